#include "distributed/transaction/participant.h"

#include "common/error.h"
#include "distributed/cluster.h"
#include "storage/local_table.h"

namespace pelorus {
namespace {

constexpr auto kSettleEvery = std::chrono::milliseconds(500);
// A living coordinator decides, unless the metadata store was away when it tried.
constexpr auto kPatience = std::chrono::minutes(10);
constexpr std::string_view kCommitWord = "commit ";

// "<incarnation of the coordinator>/<number>"
std::string coordinatorOf(const std::string& transaction) {
    return transaction.substr(0, transaction.rfind('/'));
}

}  // namespace

std::string decisionKey(const std::string& transaction) {
    return "txn/" + transaction;
}
std::string commitRecord(uint64_t at) {
    return std::string(kCommitWord) + std::to_string(at);
}

Participant::Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster)
    : storage_(std::move(storage)), cluster_(cluster) {
    thread_ = std::thread([this] { run(); });
}

Participant::~Participant() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notify_all();
    thread_.join();
}

void Participant::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        try {
            settle();
        } catch (const Error&) {
            // The metadata store is away: tried again in the next round.
        }
        lock.lock();
        stopChanged_.wait_for(lock, kSettleEvery, [this] { return stopping_; });
    }
}

void Participant::settle() {
    for (const std::string& transaction : storage_->undecided()) settleOne(transaction);
    std::lock_guard lock(mutex_);
    std::erase_if(pins_, [this](const auto& pin) { return !cluster_.lives(coordinatorOf(pin.first)); });
}

void Participant::settleOne(const std::string& transaction) {
    const std::string key = decisionKey(transaction);
    auto record = cluster_.store().get(key);
    if (!record) {
        // A coordinator that lives decides itself, and leaves a record for those it cannot reach.
        if (cluster_.lives(coordinatorOf(transaction)) && !waitedTooLong(transaction)) return;
        if (!cluster_.store().transact({{key, 0}}, {{key, kAbortRecord, 0}}).done) {
            record = cluster_.store().get(key);
            if (!record) return;
        }
    }
    if (record && record->value.starts_with(kCommitWord)) {
        storage_->decide(transaction, true, std::stoull(record->value.substr(kCommitWord.size())));
    } else {
        storage_->decide(transaction, false);
    }
    waitingSince_.erase(transaction);
}

bool Participant::waitedTooLong(const std::string& transaction) {
    const auto now = std::chrono::steady_clock::now();
    return now - waitingSince_.try_emplace(transaction, now).first->second > kPatience;
}

int64_t Participant::rowCount(const TableEntry& table) const {
    const SortRule rule = sortRuleOf(table);
    VersionSet& versions = storage_->versions();
    const VersionSet::Pin pin(versions, 0);
    int64_t rows = 0;
    const auto chunks = versions.chunks(table.id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        const ChunkVersionRef version = versions.version(identity->id, pin.number());
        if (version) rows += countRows(version, table.storedSchema(), rule);
    }
    return rows;
}

uint64_t Participant::pin(const std::string& name) {
    auto pin = std::make_unique<VersionSet::Pin>(storage_->versions(), 0);
    const uint64_t clock = pin->number();
    std::lock_guard lock(mutex_);
    pins_[name] = std::move(pin);
    return clock;
}

void Participant::unpin(const std::string& name) {
    std::unique_ptr<VersionSet::Pin> released;
    std::lock_guard lock(mutex_);
    const auto it = pins_.find(name);
    if (it == pins_.end()) return;
    released = std::move(it->second);
    pins_.erase(it);
}

}  // namespace pelorus
