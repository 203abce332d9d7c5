#include "storage/log/wal_writer.h"

#include <algorithm>
#include <random>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "common/io/crc32c.h"
#include "common/io/disk_full.h"
#include "common/thread/cancellation.h"
#include "runtime/memory/budget.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_reader.h"

namespace pelorus {

static constexpr int64_t kReservedBytes = 8 << 20;
static constexpr const char* kRefusedHint = "The log begins anew, by itself, as soon as the disk takes it.";

struct WalWriter::Waiter {
    format::RecordKind kind = format::RecordKind::Commit;
    std::string payload;
    uint32_t payloadChecksum = 0;
    Install install;
    uint64_t atLeast = 0;
    Sync sync = Sync::AsSet;
    Placement* placement = nullptr;
    bool isRecord = false;                                     // else it only waits for its turn, syncs,
    const std::function<void(uint64_t)>* atBorder = nullptr;   // or starts a new file
    const std::function<uint64_t(uint64_t)>* renew = nullptr;  // also after a failed sync

    uint64_t number = 0;
    bool taken = false;  // is in a batch
    bool done = false;
    std::exception_ptr error;
};

WalWriter::WalWriter(FileSystem& files, std::string folder, uint64_t fileNumber, uint64_t lastNumber, bool dataSync,
                     int64_t endOfFileBefore)
    : files_(files),
      folder_(std::move(folder)),
      dataSync_(dataSync),
      lastNumber_(lastNumber),
      writtenNumber_(lastNumber),
      syncedNumber_(lastNumber),
      mark_(files_, folder_) {
    openFile(fileNumber, endOfFileBefore);
}

WalWriter::~WalWriter() {
    if (!refusal_.empty()) return;
    try {
        // After an orderly end nothing depends on a later sync, even with dataSync=0, and a mark covers all of it.
        file_->truncate(goodBytes_);
        file_->sync();
        noteSynced({fileNumber_, goodBytes_});
        mark_.sync();
    } catch (const Error&) {
        // Recovery does the same.
    }
}

void WalWriter::openFile(uint64_t fileNumber, int64_t endOfFileBefore) {
    enterFile(makeFile(fileNumber, endOfFileBefore), fileNumber);
}

// Makes the file with its header, durably. What is written goes on to the current one.
std::unique_ptr<File> WalWriter::makeFile(uint64_t fileNumber, int64_t endOfFileBefore) {
    CHECK(fileNumber > fileNumber_) << "files of the log are numbered without repetition";
    nextSalt_ = std::random_device()();
    auto file = files_.create(joinPath(folder_, format::numberedName(fileNumber, ".wal")));
    std::string header(format::kWalMagic);
    ByteWriter writer(header);
    writer.fixed(fileNumber);
    writer.fixed(endOfFileBefore);
    writer.fixed(nextSalt_);
    writer.fixed(crc32c(header));
    CHECK(header.size() == format::kWalHeaderBytes) << "readers expect a header of this length";
    file->append(header);
    // The header and the name must be on disk before the first commit that relies on the file.
    file->sync();
    files_.syncFolder(folder_);
    return file;
}

void WalWriter::enterFile(std::unique_ptr<File> file, uint64_t fileNumber) {
    file_ = std::move(file);
    fileNumber_ = fileNumber;
    salt_ = nextSalt_;
    goodBytes_ = format::kWalHeaderBytes;
    reservedBytes_ = 0;
    noteSynced({fileNumber_, goodBytes_});
}

void WalWriter::noteSynced(format::WalPosition position) {
    CHECK(position.file > synced_.file || (position.file == synced_.file && position.offset >= synced_.offset))
        << "what is synced only grows";
    synced_ = position;
    const MutexLock guard(markMutex_);
    mark_.write(position);
    markedSinceRest_ = true;
}

// While batches come, each records the sync of the previous ones; the last batch needs this call.
void WalWriter::rest() {
    const MutexLock guard(markMutex_);
    if (!markedSinceRest_) mark_.sync();
    markedSinceRest_ = false;
}

uint64_t WalWriter::commit(format::RecordKind kind, std::string payload, Install install, uint64_t atLeast, Sync sync,
                           Placement* placement) {
    if (payload.size() > UINT32_MAX - 64) {
        throw UserError(
            "One commit would write " + std::to_string(payload.size()) + " bytes to the log; 4 GB is the limit.",
            "Append fewer rows at a time.");
    }
    // A record that is in the log must be installed: memory for it is never refused.
    const memory::Unrefused whole;
    Waiter waiter;
    waiter.isRecord = true;
    waiter.kind = kind;
    waiter.payload = std::move(payload);
    waiter.payloadChecksum = crc32c(waiter.payload);
    waiter.install = std::move(install);
    waiter.atLeast = atLeast;
    waiter.sync = sync;
    waiter.placement = placement;
    enqueueAndWait(waiter);
    return waiter.number;
}

void WalWriter::startNewFile(const std::function<void(uint64_t)>& atBorder) {
    Waiter waiter;
    waiter.atBorder = &atBorder;
    enqueueAndWait(waiter);
}

void WalWriter::renew(const std::function<uint64_t(uint64_t)>& atBorder) {
    Waiter waiter;
    waiter.renew = &atBorder;
    enqueueAndWait(waiter);
}

void WalWriter::numberFrom(uint64_t first) {
    CHECK(first > 0) << "numbers begin at 1";
    const MutexLock guard(mutex_);
    lastNumber_ = std::max(lastNumber_, first - 1);
}

void WalWriter::sync() {
    Waiter waiter;
    waiter.sync = Sync::Always;
    enqueueAndWait(waiter);
}

void WalWriter::refuse(std::string why) {
    refusal_ = std::move(why);
    sound_.store(false, std::memory_order_release);
}

int64_t WalWriter::fileBytes() const {
    return goodBytes_.load(std::memory_order_relaxed);
}

size_t WalWriter::waiting() const {
    const MutexLock guard(mutex_);
    return queue_.size();
}

// The first caller that finds no leader writes for all waiting ones; the others sleep until their record is done or
// there is no leader.
void WalWriter::enqueueAndWait(Waiter& waiter) {
    MutexLock lock(mutex_);
    queue_.push_back(&waiter);
    while (!waiter.done) {
        if (leading_ || waiter.taken) {
            changed_.wait(lock);
        } else {
            lead();
        }
    }
    if (waiter.error) std::rethrow_exception(waiter.error);
}

// Each waiting caller throws a separate copy: a shared object would be used by several threads at once, and handlers
// may add to its message.
static std::exception_ptr ownCopy(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const DiskFull& e) {
        return std::make_exception_ptr(e);
    } catch (const SystemError& e) {
        return std::make_exception_ptr(e);
    } catch (const UserError& e) {
        return std::make_exception_ptr(e);
    } catch (...) {
        return error;
    }
}

void WalWriter::awaitTurn(uint64_t turn) {
    while (installTurn_ != turn) changed_.wait(mutex_);
}

void WalWriter::lead() {
    // The batch holds records of others, too, and records on disk must be installed: a cancelled request ends after
    // that.
    const CancellationScope forAll(nullptr);
    leading_ = true;
    std::deque<Waiter*> batch;
    const bool records = queue_.front()->isRecord;
    const uint64_t lastBefore = lastNumber_;
    CHECK(batch.empty()) << "a leader begins a batch of its own";
    do {
        Waiter* next = queue_.front();
        CHECK_FATAL(!next->taken) << "a waiter is in one batch";
        if (records) next->number = lastNumber_ = std::max(stamp::nextOwn(lastNumber_), next->atLeast);
        next->taken = true;
        batch.push_back(next);
        queue_.pop_front();
    } while (records && !queue_.empty() && queue_.front()->isRecord);
    const uint64_t turn = nextTurn_++;
    std::exception_ptr error;
    // Exceptions are caught while the mutex is free: it is held again at every end of this function.
    if (records) {
        mutex_.unlock();
        try {
            writeBatch(batch);
        } catch (...) {
            error = std::current_exception();
        }
        mutex_.lock();
        // A decision of the cluster is tried again under its number, which must not be below those of others then.
        if (error && lastNumber_ == batch.back()->number) lastNumber_ = lastBefore;
        // The next batch is written and synced while this one is installed; turns keep the order of numbers.
        leading_ = false;
        changed_.notifyAll();
        awaitTurn(turn);
        mutex_.unlock();
        if (!error) {
            try {
                for (const Waiter* waiter : batch) waiter->install(waiter->number);
            } catch (...) {
                // Must not happen. Memory no longer matches the log, so nothing more is accepted; but waiting callers
                // must not wait for ever.
                installFailed_ = true;
                sound_.store(false, std::memory_order_release);
                error = std::current_exception();
            }
        }
        mutex_.lock();
    } else {
        // Remains the leader: nothing is written, and all earlier records are installed.
        awaitTurn(turn);
        mutex_.unlock();
        try {
            if (batch.front()->atBorder != nullptr) startFile(*batch.front());
            if (batch.front()->renew != nullptr) renewFile(*batch.front());
            if (batch.front()->sync == Sync::Always) syncWritten();
        } catch (...) {
            error = std::current_exception();
        }
        mutex_.lock();
        leading_ = false;
    }
    ++installTurn_;
    for (Waiter* waiter : batch) {
        waiter->error = error ? ownCopy(error) : nullptr;
        waiter->done = true;
    }
    changed_.notifyAll();
}

void WalWriter::startFile(const Waiter& waiter) {
    if (!refusal_.empty()) throw SystemError(refusal_, kRefusedHint);
    // Cuts the reserved end; otherwise recovery would take the file, which is not the last any more, for damaged.
    cutBack();
    const uint64_t next = fileNumber_ + 1;
    CHECK(goodBytes_ >= format::kWalHeaderBytes) << "a file that is ended has its header";
    try {
        openFile(next, goodBytes_);
    } catch (...) {
        // Commits continue in this file. The one that could not be begun does no harm: it holds no record, and the next
        // attempt begins it again.
        try {
            files_.remove(joinPath(folder_, format::numberedName(next, ".wal")));
        } catch (const Error&) {
        }
        throw;
    }
    (*waiter.atBorder)(fileNumber_);
}

// The file whose sync failed is left as it is, and read up to its last sync only: what a crash finds before the caller
// has made the commits durable is what it would have found without the new file, which has no record.
void WalWriter::renewFile(const Waiter& waiter) {
    if (installFailed_) throw SystemError("A commit is on disk but could not be shown.", "Restart Pelorus.");
    if (refusal_.empty()) return;
    CHECK(synced_.file == fileNumber_) << "the header of the current file was synced";
    const uint64_t next = fileNumber_ + 1;
    // A failed attempt leaves a file without records, which the next one makes anew.
    std::unique_ptr<File> file = makeFile(next, synced_.offset);
    const uint64_t durable = (*waiter.renew)(next);
    enterFile(std::move(file), next);
    writtenNumber_ = durable;
    syncedNumber_.store(durable, std::memory_order_release);
    refusal_.clear();
    sound_.store(true, std::memory_order_release);
}

// Truncates to the last record, on disk too.
void WalWriter::cutBack() {
    try {
        file_->truncate(goodBytes_);
        reservedBytes_ = 0;
        file_->sync();
    } catch (const Error& error) {
        refuse(std::string("The log accepts no writes since it could not be cut to its last record. ") + error.what());
        throw;
    }
    noteSynced({fileNumber_, goodBytes_});
}

void WalWriter::writeBatch(const std::deque<Waiter*>& batch) {
    if (!refusal_.empty()) throw SystemError(refusal_, kRefusedHint);
    if (installFailed_) throw SystemError("A commit is on disk but could not be shown.", "Restart Pelorus.");
    CHECK(synced_.file <= fileNumber_) << "no file beyond the current one was synced";
    CHECK(synced_.file < fileNumber_ || synced_.offset <= goodBytes_) << "what was synced was written";
    buffer_.clear();
    buffer_ += encodeMark(synced_, salt_);
    ByteWriter writer(buffer_);
    uint64_t before = 0;
    for (const Waiter* waiter : batch) {
        CHECK(waiter->number > before) << "commits are numbered in ascending order";
        before = waiter->number;
        const size_t begin = buffer_.size();
        char head[9];
        std::memcpy(head, &waiter->number, 8);
        head[8] = static_cast<char>(waiter->kind);
        // The checksum covers the payload first: callers have computed that part before they queued.
        writer.fixed(crc32c({head, sizeof head}, waiter->payloadChecksum) ^ salt_);
        writer.fixed(static_cast<uint32_t>(waiter->payload.size()));
        writer.raw(head, sizeof head);
        writer.raw(waiter->payload.data(), waiter->payload.size());
        CHECK(buffer_.size() - begin == static_cast<size_t>(format::kRecordHeaderBytes) + waiter->payload.size())
            << "a record is its header and its payload";
    }
    // Reserved in steps, so that syncs in between need not update the file's size.
    if (goodBytes_ + static_cast<int64_t>(buffer_.size()) > reservedBytes_) {
        reservedBytes_ = goodBytes_ + static_cast<int64_t>(buffer_.size()) + kReservedBytes;
        file_->reserve(reservedBytes_);
    }
    try {
        file_->append(buffer_);
    } catch (...) {
        // Part of the batch may be on disk, even whole records. It is cut off, or later records would never be read;
        // and before the failing commits let their column files be removed, or a power loss could bring back a record
        // that names one.
        try {
            cutBack();
        } catch (const Error&) {
            // The writer refuses everything from here on.
        }
        throw;
    }
    goodBytes_ += static_cast<int64_t>(buffer_.size());
    writtenNumber_ = batch.back()->number;
    for (const Waiter* waiter : batch) {
        if (waiter->placement != nullptr) waiter->placement->place(waiter->number);
    }
    const bool sync = std::any_of(batch.begin(), batch.end(), [&](const Waiter* w) {
        return w->sync == Sync::Always || (dataSync_ && w->sync == Sync::AsSet);
    });
    if (sync) {
        syncFile(batch);
    } else if (!dataSync_) {
        syncedNumber_.store(writtenNumber_, std::memory_order_release);
    }
}

static int64_t nowMicros() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

void WalWriter::timedSync() {
    const int64_t begin = nowMicros();
    syncBegan_.store(begin, std::memory_order_relaxed);
    file_->sync();
    syncBegan_.store(0, std::memory_order_relaxed);
    const int64_t mean = syncMicros_.load(std::memory_order_relaxed);
    syncMicros_.store(mean + (nowMicros() - begin - mean) / 3, std::memory_order_relaxed);
    syncs_.fetch_add(1, std::memory_order_relaxed);
}

WalWriter::SyncTime WalWriter::syncTime() const {
    const int64_t began = syncBegan_.load(std::memory_order_relaxed),
                  mean = syncMicros_.load(std::memory_order_relaxed);
    const int64_t underWay = began == 0 ? 0 : nowMicros() - began;
    return {std::chrono::microseconds(std::max(mean, underWay)), syncs_.load(std::memory_order_relaxed)};
}

// A sync that failed is not tried again: a second one may succeed without the bytes.
void WalWriter::syncWritten() {
    if (!refusal_.empty()) throw SystemError(refusal_, kRefusedHint);
    if (syncedNumber_ < writtenNumber_) syncFile({});
}

// Transactions that are placed and not durable are withdrawn before the log can begin anew: nobody commits on their
// basis.
void WalWriter::syncFile(const std::deque<Waiter*>& placed) {
    try {
        timedSync();
    } catch (const Error& error) {
        for (const Waiter* waiter : placed) {
            if (waiter->placement != nullptr) waiter->placement->withdraw();
        }
        refuse(std::string("The log accepts no writes since a sync failed. ") + error.what());
        throw SystemError(error.what(), kRefusedHint);
    }
    noteSynced({fileNumber_, goodBytes_});
    syncedNumber_.store(writtenNumber_, std::memory_order_release);
}

std::chrono::microseconds WalWriter::probeDisk() {
    static constexpr size_t kProbedBytes = 16 << 20;
    const std::string path = joinPath(folder_, "PROBE");
    std::chrono::steady_clock::duration taken{};
    try {
        files_.create(path)->append(std::string(kProbedBytes, '\0'));
        const std::unique_ptr<File> file = files_.create(path);
        file->append("probe");
        const auto begin = std::chrono::steady_clock::now();
        file->sync();
        taken = std::chrono::steady_clock::now() - begin;
    } catch (...) {
        files_.remove(path);
        throw;
    }
    files_.remove(path);
    return std::chrono::duration_cast<std::chrono::microseconds>(taken);
}

}  // namespace pelorus
