// FaultyFileSystem is a file system in memory that fails on command: it loses unsynced bytes, tears the last write,
// fills up, fails to sync. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/io/disk_full.h"
#include "common/io/file.h"

namespace pelorus {

class FaultyFileSystem final : public FileSystem {
public:
    // Makes writes beyond so many bytes fail, after they have written the bytes that fit.
    void setFreeBytes(int64_t bytes) {
        locked([&] { freeBytes_ = bytes; });
    }
    void failSyncs(bool fail) {
        locked([&] { failSyncs_ = fail; });
    }
    void failReads(bool fail) {
        locked([&] { failReads_ = fail; });
    }
    // Flips one bit of a file.
    void flipBit(const std::string& path, size_t offset, int bit) {
        locked([&] { files_.at(path)->bytes.at(offset) ^= static_cast<char>(1 << bit); });
    }
    size_t sizeOf(const std::string& path) {
        size_t size = 0;
        locked([&] { size = files_.at(path)->bytes.size(); });
        return size;
    }
    // Makes syncs of files whose paths begin with `under` wait while they are held.
    void holdSyncs(bool hold, const std::string& under = "") {
        locked([&] {
            holdSyncs_ = hold;
            heldUnder_ = under;
        });
        released_.notify_all();
    }
    int64_t usedBytes() {
        int64_t used = 0;
        locked([&] {
            for (const auto& [path, content] : files_) used += static_cast<int64_t>(content->bytes.size());
        });
        return used;
    }
    int64_t syncs() {
        int64_t count = 0;
        locked([&] { count = syncs_; });
        return count;
    }

    // Makes syncs take up to so long, so that threads interleave in more ways.
    void slowSyncs(std::chrono::microseconds longest) { longestSync_ = longest.count(); }

    // The fault of one call: Power (nothing works from there on, until losePower), Room (half of a write is written),
    // Sync. breakAt counts calls from now on, only those that the fault can affect.
    enum class Fault { Power, Room, Sync };
    void breakAt(Fault fault, int64_t call) {
        locked([&] {
            fault_ = fault;
            callsLeft_ = call;
        });
    }
    // Returns whether the fault has happened.
    bool isBroken() {
        bool broken = false;
        locked([&] { broken = callsLeft_ == 0; });
        return broken;
    }

    // Returns another disk with the same content and no faults. REQUIRES: no file is open.
    std::unique_ptr<FaultyFileSystem> clone() {
        auto copy = std::make_unique<FaultyFileSystem>();
        locked([&] {
            for (const auto& [path, content] : files_) copy->files_[path] = std::make_shared<Content>(*content);
            for (const auto& [path, content] : durableNames_) {
                const auto named = files_.find(path);
                const bool isSame = named != files_.end() && named->second == content;
                copy->durableNames_[path] = isSame ? copy->files_[path] : std::make_shared<Content>(*content);
            }
        });
        return copy;
    }

    // Simulates a loss of power: the synced bytes of each file remain, and a random part of the later ones, in which
    // some pages may be zeros (torn). Unsynced changes of names are undone, or not. Open files and locks fail, and with
    // `untilLocked` all calls of the process before, until the next one locks a folder.
    void losePower(uint64_t seed, bool untilLocked = false) {
        const std::lock_guard guard(mutex_);
        std::mt19937_64 random(seed);
        std::map<std::string, ContentRef> after = durableNames_;
        // A name may have reached the disk without a sync.
        for (const auto& [path, content] : files_) {
            if (random() % 2 == 0) after.emplace(path, content);
        }
        // Neither need a removal be synced to last.
        std::set<ContentRef> named;
        for (const auto& [path, content] : files_) named.insert(content);
        std::erase_if(after, [&](const auto& entry) {
            return files_.count(entry.first) == 0 && named.count(entry.second) == 0 && random() % 2 == 0;
        });
        for (auto& [path, content] : after) {
            auto survivor = std::make_shared<Content>();
            // Neither may what was cut off or written over since the last sync.
            if (random() % 2 == 0) content->undo();
            survivor->bytes = content->bytes.substr(0, content->syncedBytes);
            std::string rest = content->bytes.substr(std::min(content->syncedBytes, content->bytes.size()));
            rest.resize(random() % (rest.size() + 1));
            for (size_t page = 0; page < rest.size(); page += 512) {
                if (random() % 4 == 0)
                    std::fill_n(rest.begin() + static_cast<int64_t>(page), std::min<size_t>(512, rest.size() - page),
                                '\0');
            }
            survivor->bytes += rest;
            survivor->syncedBytes = survivor->bytes.size();
            content = survivor;
        }
        files_ = after;
        durableNames_ = after;
        locks_.clear();
        ++epoch_;
        failSyncs_ = failReads_ = false;
        dead_ = untilLocked;
        callsLeft_ = -1;
        freeBytes_ = INT64_MAX;
    }

    // Simulates the end of the process on a running machine: files keep their written bytes; open files and locks fail.
    void endProcess(bool untilLocked = false) {
        const std::lock_guard guard(mutex_);
        locks_.clear();
        ++epoch_;
        failSyncs_ = failReads_ = false;
        dead_ = untilLocked;
        callsLeft_ = -1;
        freeBytes_ = INT64_MAX;
    }

    std::unique_ptr<File> create(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        meet(Fault::Room, path);
        if (freeBytes_ <= 0) throwFull(path);
        auto content = std::make_shared<Content>();
        files_[path] = content;
        return std::make_unique<OpenFile>(*this, path, content, epoch_);
    }
    std::unique_ptr<File> openForAppend(const std::string& path) override { return openForRead(path); }
    std::unique_ptr<File> openForRead(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        auto it = files_.find(path);
        if (it == files_.end()) throw SystemError("Cannot open " + path + ": No such file or directory.");
        return std::make_unique<OpenFile>(*this, path, it->second, epoch_);
    }
    bool exists(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        return files_.count(path) != 0;
    }
    void rename(const std::string& from, const std::string& to) override {
        const std::lock_guard guard(mutex_);
        auto it = files_.find(from);
        if (it == files_.end() && from.find('.', from.rfind('/') + 1) == std::string::npos)
            return renameFolder(from, to);
        if (it == files_.end()) throw SystemError("Cannot rename " + from + ": No such file or directory.");
        meet(Fault::Power, from);
        ContentRef content = it->second;
        files_.erase(it);
        files_[to] = content;
    }
    void remove(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        meet(Fault::Power, path);
        files_.erase(path);
    }
    void makeFolder(const std::string&) override {}
    double usedShare(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        return fullFolders_.count(path) != 0 ? 1 : 0;
    }
    // Makes `usedShare` report that the disks of these folders are full.
    void setFullFolders(std::set<std::string> folders) {
        locked([&] { fullFolders_ = std::move(folders); });
    }
    void syncFolder(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        meet(Fault::Sync, path);
        if (failSyncs_) throw SystemError("Cannot sync the folder " + path + ": Input/output error.");
        std::erase_if(durableNames_, [&](const auto& entry) { return folderOf(entry.first) == path; });
        for (const auto& [name, content] : files_) {
            if (folderOf(name) == path) durableNames_[name] = content;
        }
    }
    std::vector<std::string> list(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        std::vector<std::string> names;
        for (const auto& [name, content] : files_) {
            if (folderOf(name) == path) names.push_back(name.substr(path.size() + 1));
        }
        return names;
    }
    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override {
        const std::lock_guard guard(mutex_);
        if (locks_.count(path) != 0) {
            if (holder != nullptr) *holder = locks_[path];
            return nullptr;
        }
        locks_[path] = "";
        dead_ = false;
        return std::make_unique<Lock>(*this, path, epoch_);
    }

private:
    struct Content {
        std::string bytes;
        size_t syncedBytes = 0;
        // Bytes that were truncated or overwritten since the last sync.
        struct Before {
            size_t offset = 0;
            std::string bytes;
            bool isTail = false;
            size_t syncedBytes = 0;
        };
        std::vector<Before> before;

        void undo() {
            for (auto change = before.rbegin(); change != before.rend(); ++change) {
                if (change->isTail) {
                    bytes.resize(change->offset);
                    bytes += change->bytes;
                    syncedBytes = change->syncedBytes;
                } else {
                    bytes.replace(change->offset, change->bytes.size(), change->bytes);
                }
            }
            before.clear();
        }
    };
    using ContentRef = std::shared_ptr<Content>;

    class OpenFile final : public File {
    public:
        OpenFile(FaultyFileSystem& files, std::string path, ContentRef content, int epoch)
            : files_(files), path_(std::move(path)), content_(std::move(content)), epoch_(epoch) {}
        void append(std::string_view bytes) override {
            const std::lock_guard guard(files_.mutex_);
            checkAlive();
            try {
                files_.meet(Fault::Room, path_);
            } catch (const SystemError&) {
                if (!files_.dead_) content_->bytes += bytes.substr(0, bytes.size() / 2);
                throw;
            }
            const auto fits = static_cast<size_t>(
                std::min<int64_t>(static_cast<int64_t>(bytes.size()), std::max<int64_t>(0, files_.freeBytes_)));
            content_->bytes += bytes.substr(0, fits);
            if (files_.freeBytes_ != INT64_MAX) files_.freeBytes_ -= static_cast<int64_t>(fits);
            if (fits < bytes.size()) files_.throwFull(path_);
        }
        void overwrite(int64_t offset, std::string_view bytes) override {
            const std::lock_guard guard(files_.mutex_);
            checkAlive();
            files_.meet(Fault::Power, path_);
            const auto at = static_cast<size_t>(offset);
            content_->before.push_back({at, content_->bytes.substr(at, bytes.size()), false, 0});
            content_->bytes.replace(at, bytes.size(), bytes);
        }
        size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override {
            const std::lock_guard guard(files_.mutex_);
            if (files_.failReads_) throw SystemError("Cannot read " + path_ + ": Input/output error.");
            const auto begin = std::min(static_cast<size_t>(offset), content_->bytes.size());
            const size_t count = std::min(sizeBytes, content_->bytes.size() - begin);
            std::memcpy(target, content_->bytes.data() + begin, count);
            return count;
        }
        void sync() override {
            files_.takeTime();
            std::unique_lock lock(files_.mutex_);
            files_.released_.wait(lock, [&] { return !files_.holdSyncs_ || !path_.starts_with(files_.heldUnder_); });
            checkAlive();
            files_.meet(Fault::Sync, path_);
            if (files_.failSyncs_) throw SystemError("Cannot sync " + path_ + ": Input/output error.");
            ++files_.syncs_;
            content_->syncedBytes = content_->bytes.size();
            content_->before.clear();
        }
        void reserve(int64_t) override {}
        int64_t size() const override {
            const std::lock_guard guard(files_.mutex_);
            return static_cast<int64_t>(content_->bytes.size());
        }
        void truncate(int64_t sizeBytes) override {
            const std::lock_guard guard(files_.mutex_);
            checkAlive();
            files_.meet(Fault::Power, path_);
            if (files_.freeBytes_ != INT64_MAX)
                files_.freeBytes_ += static_cast<int64_t>(content_->bytes.size()) - sizeBytes;
            const auto kept = static_cast<size_t>(sizeBytes);
            if (kept < content_->bytes.size())
                content_->before.push_back({kept, content_->bytes.substr(kept), true, content_->syncedBytes});
            content_->bytes.resize(kept);
            content_->syncedBytes = std::min(content_->syncedBytes, content_->bytes.size());
        }
        const std::string& path() const override { return path_; }

    private:
        // Throws unless the process of this file still lives: later writes of a dead one must not reach the disk.
        void checkAlive() const {
            if (epoch_ != files_.epoch_) throw SystemError("The power is gone.");
        }
        FaultyFileSystem& files_;
        const std::string path_;
        const ContentRef content_;
        const int epoch_;
    };

    class Lock final : public FileLock {
    public:
        Lock(FaultyFileSystem& files, std::string path, int epoch)
            : files_(files), path_(std::move(path)), epoch_(epoch) {}
        ~Lock() override {
            const std::lock_guard guard(files_.mutex_);
            if (epoch_ == files_.epoch_) files_.locks_.erase(path_);
        }
        void describe(std::string_view string) override {
            const std::lock_guard guard(files_.mutex_);
            files_.locks_[path_] = string;
        }

    private:
        FaultyFileSystem& files_;
        const std::string path_;
        const int epoch_;
    };

    void takeTime() {
        if (longestSync_ == 0) return;
        thread_local std::mt19937_64 random(std::hash<std::thread::id>()(std::this_thread::get_id()));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<uint64_t>(longestSync_)));
    }
    // Renames a folder with its files; an empty folder is not represented. REQUIRES: mutex_ is held.
    void renameFolder(const std::string& from, const std::string& to) {
        meet(Fault::Power, from);
        std::map<std::string, ContentRef> moved;
        for (const auto& [name, content] : files_) {
            if (name.starts_with(from + '/')) moved[to + name.substr(from.size())] = content;
        }
        std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(from + '/'); });
        files_.merge(moved);
    }
    template <class F>
    void locked(F&& f) {
        const std::lock_guard guard(mutex_);
        f();
    }
    // Called before a call that changes the disk; `kind` Power denotes one that only a loss of power affects. REQUIRES:
    // mutex_ is held.
    void meet(Fault kind, const std::string& path) {
        if (dead_) throw SystemError("The power is gone.");
        if (callsLeft_ <= 0 || (fault_ != Fault::Power && fault_ != kind)) return;
        if (--callsLeft_ > 0) return;
        dead_ = fault_ == Fault::Power;
        if (dead_) throw SystemError("The power is gone.");
        if (fault_ == Fault::Room) throwFull(path);
        throw SystemError("Cannot sync " + path + ": Input/output error.");
    }
    [[noreturn]] void throwFull(const std::string& path) const {
        throw DiskFull("Cannot write to " + path + ": No space left on device.",
                       "Free space on this disk, then try again.");
    }

    std::mutex mutex_;
    std::map<std::string, ContentRef> files_;
    std::map<std::string, ContentRef> durableNames_;
    std::map<std::string, std::string> locks_;
    int64_t freeBytes_ = INT64_MAX;
    std::condition_variable released_;
    std::atomic<int64_t> longestSync_{0};  // microseconds
    bool holdSyncs_ = false;
    std::string heldUnder_;
    bool failSyncs_ = false;
    bool failReads_ = false;
    int64_t syncs_ = 0;
    std::set<std::string> fullFolders_;
    Fault fault_ = Fault::Power;
    int64_t callsLeft_ = -1;  // 0: the fault has happened
    bool dead_ = false;
    int epoch_ = 0;
};

}  // namespace pelorus
