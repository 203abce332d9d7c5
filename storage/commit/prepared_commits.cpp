#include "storage/commit/prepared_commits.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"

#include <algorithm>

#include "common/check.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/staged_batch.h"
#include "storage/commit/storage_parts.h"
#include "storage/log/wal_writer.h"

namespace pelorus {

using format::EditKind;
using format::RecordKind;

std::vector<uint64_t> PreparedCommits::Prepared::chunks() const {
    return chunksOf(edits);
}

bool PreparedCommits::Prepared::isExclusive() const {
    return std::any_of(edits.begin(), edits.end(), [](const Edit& edit) {
        return edit.kind == EditKind::RowsReplaced || edit.kind == EditKind::ChunkCleared;
    });
}

CommitResult PreparedCommits::prepare(const std::string& transaction, const std::vector<std::string>& participants,
                                      const WriteBatch& batch, std::chrono::milliseconds timeout) {
    const bool replaces = batch.replacesRows();
    StagedBatch staged(parts_, batch);
    try {
        ChunkLocks::Hold hold(parts_.locks, staged.chunks(), replaces, timeout);
        std::optional<ReaderLock> layout;
        if (replaces) layout.emplace(parts_.layout);
        if (const CommitResult result = staged.resolve(); result != CommitResult::Done) return result;
        Prepared prepared{0, participants, std::move(staged.edits())};
        // A change that removes no row here is locked as an append is.
        if (!prepared.isExclusive()) hold.share();
        const std::vector<uint64_t> locked = prepared.chunks();
        CHECK(!isPrepared(transaction)) << "a transaction is prepared once";
        std::string payload;
        ByteWriter writer(payload);
        writer.string(transaction);
        writer.varint(participants.size());
        for (const std::string& participant : participants) writer.string(participant);
        encodeEdits(prepared.edits, payload);
        parts_.log->commit(RecordKind::PrepareShared, std::move(payload), [&](uint64_t number) {
            prepared.number = number;
            this->hold(transaction, std::move(prepared));
            parts_.versions.setVisible(number);
        });
        hold.keep(locked);
        staged.keep();
        return CommitResult::Done;
    } catch (const ChunkIsBusy&) {
        return CommitResult::Busy;
    }
}

void PreparedCommits::hold(const std::string& transaction, Prepared prepared) {
    for (const Edit& edit : prepared.edits) parts_.versions.reserve(edit);
    const MutexLock guard(mutex_);
    prepared_[transaction] = std::move(prepared);
}

void PreparedCommits::lockAndHold(const std::string& transaction, Prepared prepared) {
    parts_.locks.lockRecovered(prepared.chunks(), prepared.isExclusive());
    hold(transaction, std::move(prepared));
}

std::optional<PreparedCommits::Prepared> PreparedCommits::take(const std::string& transaction) {
    const MutexLock guard(mutex_);
    const auto it = prepared_.find(transaction);
    if (it == prepared_.end()) return std::nullopt;
    Prepared prepared = std::move(it->second);
    prepared_.erase(it);
    return prepared;
}

bool PreparedCommits::isPrepared(const std::string& transaction) const {
    const MutexLock guard(mutex_);
    return prepared_.count(transaction) != 0;
}

void PreparedCommits::applyDecisions(const std::vector<Decision>& decisions) {
    std::vector<Decision> own;
    uint64_t last = 0;
    bool removes = false;  // an abort removes the column file that the prepare names, a change those of old rows
    for (const Decision& decision : decisions) {
        {
            const MutexLock guard(mutex_);
            const auto prepared = prepared_.find(decision.transaction);
            if (prepared == prepared_.end()) continue;
            removes |= !decision.commit || prepared->second.isExclusive();
        }
        CHECK(!decision.commit || decision.number > last) << "decisions of a revision are in the order of their places";
        last = std::max(last, decision.number);
        own.push_back(decision);
    }
    if (own.empty()) return;
    std::string payload;
    ByteWriter writer(payload);
    writer.varint(own.size());
    for (const Decision& decision : own) {
        writer.string(decision.transaction);
        writer.fixed<uint8_t>(decision.commit);
        writer.fixed<uint64_t>(decision.number);
    }
    parts_.log->commit(
        RecordKind::Decided, std::move(payload),
        [&](uint64_t number) {
            CHECK_FATAL(last == 0 || number == last) << "numbers of a node are below those that are decided later";
            install(number, own);
        },
        last, removes ? WalWriter::Sync::Always : WalWriter::Sync::Later);
}

void PreparedCommits::install(uint64_t number, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        const std::optional<Prepared> prepared = take(decision.transaction);
        if (!prepared) continue;
        if (decision.commit && !prepared->edits.empty()) commits_.install(decision.number, prepared->edits);
        if (!decision.commit) {
            for (const Edit& edit : prepared->edits) {
                if (edit.kind == EditKind::SegmentAdded) parts_.versions.abandon(edit.segment);
            }
        }
        parts_.locks.unlock(prepared->chunks(), prepared->isExclusive());
    }
    parts_.versions.setVisible(number);
}

std::vector<PreparedCommits::OpenTransaction> PreparedCommits::openTransactions() const {
    const MutexLock guard(mutex_);
    std::vector<OpenTransaction> open;
    for (const auto& [name, prepared] : prepared_)
        open.push_back({name, prepared.participants, prepared.number, prepared.chunks().size()});
    std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return open;
}

bool PreparedCommits::replay(uint64_t number, RecordKind kind, ByteReader& reader) {
    switch (kind) {
        case RecordKind::Prepare:  // written by versions in which the store did not decide
        case RecordKind::PrepareShared: {
            const std::string transaction(reader.string());
            Prepared prepared{number, {}, {}};
            if (kind == RecordKind::PrepareShared) {
                for (uint64_t count = reader.count(); count > 0; --count)
                    prepared.participants.emplace_back(reader.string());
            }
            prepared.edits = decodeEdits(reader, parts_.cipherOf);
            lockAndHold(transaction, std::move(prepared));
            parts_.versions.setVisible(number);
            return true;
        }
        case RecordKind::Decide: {  // written by versions in which the store did not decide
            Decision decision{std::string(reader.string()), reader.fixed<uint8_t>() != 0, 0};
            decision.number = std::max(reader.fixed<uint64_t>(), parts_.versions.visible());
            install(std::max(number, decision.number), {decision});
            return true;
        }
        case RecordKind::Decided: {
            std::vector<Decision> decisions;
            for (uint64_t count = reader.count(); count > 0; --count) {
                Decision& decision = decisions.emplace_back();
                decision.transaction = reader.string();
                decision.commit = reader.fixed<uint8_t>() != 0;
                decision.number = reader.fixed<uint64_t>();
            }
            install(number, decisions);
            return true;
        }
        case RecordKind::Commit:
        case RecordKind::Synced:
            return false;
    }
    return false;
}

void PreparedCommits::encode(std::string& bytes) const {
    ByteWriter writer(bytes);
    const MutexLock guard(mutex_);
    writer.varint(prepared_.size());
    for (const auto& [name, prepared] : prepared_) {
        writer.string(name);
        writer.varint(prepared.number);
        writer.varint(prepared.participants.size());
        for (const std::string& participant : prepared.participants) writer.string(participant);
        encodeEdits(prepared.edits, bytes);
    }
}

void PreparedCommits::restore(ByteReader& reader, bool withNodes) {
    for (uint64_t count = reader.count(); count > 0; --count) {
        const std::string name(reader.string());
        Prepared prepared{reader.varint(), {}, {}};
        for (uint64_t names = withNodes ? reader.count() : 0; names > 0; --names)
            prepared.participants.emplace_back(reader.string());
        prepared.edits = decodeEdits(reader, parts_.cipherOf);
        lockAndHold(name, std::move(prepared));
    }
}

std::vector<uint64_t> PreparedCommits::files() const {
    std::vector<uint64_t> files;
    const MutexLock guard(mutex_);
    for (const auto& [name, prepared] : prepared_) {
        for (const Edit& edit : prepared.edits) {
            if (edit.kind == EditKind::SegmentAdded) files.push_back(edit.segment.file);
        }
    }
    return files;
}

}  // namespace pelorus
