#include "common/io/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/file.h"
#include "common/log.h"
#include "common/thread/mutex.h"

namespace pelorus {
namespace {

using Json = nlohmann::ordered_json;

// Longer details, as the scripts of updates, are cut: a client must not fill the log with a few requests.
constexpr size_t kDetailBytes = 4096;

thread_local AuditOrigin::Client currentClient{};

int64_t nowNanos() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::string shownDetail(std::string_view detail) {
    std::string string = hideSecretsInBeginning(detail, kDetailBytes);
    if (detail.size() > kDetailBytes) string.append("...");
    return string;
}

class AuditLog {
public:
    void configure(const AuditOptions& options) LOCKS_EXCLUDED(mutex_) {
        const int descriptor = options.file.empty() ? -1 : openFile(options.file);
        int64_t size = 0;
        bool endsInLine = false;
        if (descriptor >= 0) {
            struct stat status {};
            if (::fstat(descriptor, &status) == 0) size = status.st_size;
            char last = '\n';
            endsInLine = size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n';
        }
        const MutexLock lock(mutex_);
        if (descriptor_ >= 0) ::close(descriptor_);
        options_ = options;
        descriptor_ = descriptor;
        size_ = size;
        endsInLine_ = endsInLine;
        isOpen_ = descriptor >= 0;
    }

    bool isOpen() const { return isOpen_.load(std::memory_order_relaxed); }

    // Appends one line, which gets the time, the node and, for the intent of a change, its id. Returns that time, which
    // no other line has: it is the id. Throws SystemError when the line is not completely there.
    int64_t append(Json line, bool isIntent, bool isSynced) LOCKS_EXCLUDED(mutex_) {
        const MutexLock lock(mutex_);
        if (descriptor_ < 0) return 0;
        const int64_t time = lastTime_ = std::max(lastTime_ + 1, nowNanos());
        line["time"] = time;
        if (isIntent) line["change"] = time;
        line["node"] = options_.node;
        std::string string = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        // A process that died left half a line.
        if (endsInLine_) string.insert(string.begin(), '\n');
        if (size_ > 0 && size_ + static_cast<int64_t>(string.size()) > options_.rotateBytes) rotate();
        put(string);
        // Syncs under the lock: changes of users and structure are rare, and their order is that of the file.
        if (isSynced && ::fdatasync(descriptor_) != 0 && errno != EINVAL) fail("sync");
        return time;
    }

    // The files that exist, oldest first, and how many bytes of each are complete lines.
    std::vector<std::pair<std::unique_ptr<File>, int64_t>> openFiles() LOCKS_EXCLUDED(mutex_) {
        std::vector<std::pair<std::unique_ptr<File>, int64_t>> files;
        FileSystem& system = FileSystem::posix();
        const MutexLock lock(mutex_);
        if (descriptor_ < 0) return files;
        for (int i = options_.keptFiles; i >= 0; --i) {
            const std::string path = i == 0 ? options_.file : numbered(i);
            if (i > 0 && !system.exists(path)) continue;
            auto file = system.openForRead(path);
            const int64_t size = i == 0 ? size_ : file->size();
            files.emplace_back(std::move(file), size);
        }
        return files;
    }

private:
    static int openFile(const std::string& path) {
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor < 0) {
            throw SystemError("The audit log cannot be written to " + path + ": " + std::strerror(errno) + ".",
                              "Check who may write there, or set enableAuditLog=false.");
        }
        return descriptor;
    }

    std::string numbered(int i) const EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return options_.file + '.' + std::to_string(i);
    }

    [[noreturn]] void fail(const char* doing) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        const int error = errno;
        throw SystemError(std::string("Cannot ") + doing + " the audit log " + options_.file + ": " +
                              std::strerror(error) + ". What is not audited is not done.",
                          "Free space on this disk, or restart with enableAuditLog=false.", true);
    }

    void put(std::string_view string) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        int64_t end = size_;
        while (!string.empty()) {
            const ssize_t count = ::pwrite(descriptor_, string.data(), string.size(), end);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) {
                // The next line overwrites the part that was written; readers see complete lines only.
                const int error = errno;
                if (::ftruncate(descriptor_, size_) != 0) endsInLine_ = endsInLine_ || end > size_;
                errno = error;
                fail("write to");
            }
            end += count;
            string.remove_prefix(static_cast<size_t>(count));
        }
        size_ = end;
        endsInLine_ = false;
    }

    // FILE.4 becomes FILE.5, … FILE becomes FILE.1; the next line begins a new FILE. When that is impossible the old
    // one grows beyond its bound, which is better than to lose lines.
    void rotate() EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        const std::string aside = options_.file + ".new";
        const int next = ::open(aside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (next < 0) return;
        ::fdatasync(descriptor_);
        for (int i = options_.keptFiles; i > 1; --i) ::rename(numbered(i - 1).c_str(), numbered(i).c_str());
        if (options_.keptFiles > 0) ::rename(options_.file.c_str(), numbered(1).c_str());
        ::rename(aside.c_str(), options_.file.c_str());
        const int folder = ::open(folderOf(options_.file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) {
            ::fsync(folder);
            ::close(folder);
        }
        ::close(descriptor_);
        descriptor_ = next;
        size_ = 0;
    }

    Mutex mutex_;
    AuditOptions options_ GUARDED_BY(mutex_);
    int descriptor_ GUARDED_BY(mutex_) = -1;
    int64_t size_ GUARDED_BY(mutex_) = 0;         // bytes of complete lines
    bool endsInLine_ GUARDED_BY(mutex_) = false;  // the file does not end in a new line
    int64_t lastTime_ GUARDED_BY(mutex_) = 0;
    std::atomic<bool> isOpen_{false};
};

// Never destroyed: threads may audit while statics are.
AuditLog& theAudit() {
    static AuditLog& log = *new AuditLog;
    return log;
}

Json lineOf(const AuditEvent& event) {
    Json line;
    line["time"] = 0;  // makes the time the first member
    line["kind"] = event.kind == AuditKind::Data ? "data" : "access";
    line["operation"] = event.operation;
    line["user"] = event.user.empty() ? currentClient.user : event.user;
    if (!event.detail.empty()) line["detail"] = shownDetail(event.detail);
    if (!event.database.empty()) line["database"] = event.database;
    if (!event.table.empty()) line["table"] = event.table;
    if (!currentClient.address.empty()) {
        line["address"] = currentClient.address;
        line["port"] = currentClient.port;
    }
    if (currentClient.session) line["session"] = currentClient.session;
    return line;
}

// The outcome of a change is made already, and no event is undone: only the log can tell that a line is lost.
void appendOrReport(Json line, std::string_view operation) noexcept {
    try {
        theAudit().append(std::move(line), false, false);
    } catch (const std::exception& error) {
        logError("audit", "a line is lost", {{"operation", operation}, {"why", error.what()}});
    } catch (...) {
        logError("audit", "a line is lost", {{"operation", operation}});
    }
}

void appendOutcome(int64_t change, const char* state, std::string_view detail) noexcept {
    try {
        Json line;
        line["time"] = 0;
        line["change"] = change;
        line["state"] = state;
        if (!detail.empty()) line["detail"] = shownDetail(detail);
        appendOrReport(std::move(line), state);
    } catch (...) {
        logError("audit", "a line is lost", {{"operation", state}});
    }
}

}  // namespace

void configureAudit(const AuditOptions& options) {
    theAudit().configure(options);
}

bool isAuditing() {
    return theAudit().isOpen();
}

void audit(const AuditEvent& event) noexcept {
    if (!isAuditing()) return;
    try {
        appendOrReport(lineOf(event), event.operation);
    } catch (...) {
        logError("audit", "a line is lost", {{"operation", event.operation}});
    }
}

AuditedChange::AuditedChange(const AuditEvent& event, Durability durability) {
    if (isAuditing()) id_ = theAudit().append(lineOf(event), true, durability == Durability::Synced);
}

AuditedChange::~AuditedChange() {
    if (id_ != 0) appendOutcome(id_, "failed", "");
}

void AuditedChange::done(std::string_view detail) noexcept {
    if (id_ != 0) appendOutcome(std::exchange(id_, 0), "done", detail);
}

AuditOrigin::AuditOrigin(const Client& client) : outer_(std::exchange(currentClient, client)) {}
AuditOrigin::~AuditOrigin() {
    currentClient = outer_;
}

void readAuditLines(int64_t most, const std::function<void(std::string_view line)>& take) {
    constexpr size_t kBlockBytes = 1 << 16;
    const auto files = theAudit().openFiles();
    std::string block(kBlockBytes, '\0');
    const auto eachBlock = [&](const auto& use) {
        for (const auto& [file, size] : files) {
            for (int64_t at = 0; at < size;) {
                const size_t want = static_cast<size_t>(std::min<int64_t>(kBlockBytes, size - at));
                const size_t got = file->readAt(at, block.data(), want);
                if (got == 0) break;
                use(std::string_view(block.data(), got));
                at += static_cast<int64_t>(got);
            }
        }
    };
    int64_t total = 0;
    eachBlock([&](std::string_view bytes) { total += std::count(bytes.begin(), bytes.end(), '\n'); });
    int64_t skipped = std::max<int64_t>(0, total - most);
    std::string line;
    eachBlock([&](std::string_view bytes) {
        for (size_t begin = 0; begin < bytes.size();) {
            const size_t end = std::min(bytes.find('\n', begin), bytes.size());
            line += bytes.substr(begin, end - begin);
            begin = end + 1;
            if (end == bytes.size()) break;
            if (skipped > 0) {
                --skipped;
            } else if (!line.empty()) {
                take(line);
            }
            line.clear();
        }
    });
}

}  // namespace pelorus
