#include "streaming/subscription/remote_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "common/time/local_clock.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"
#include "runtime/value/print.h"

namespace pelorus {

// Gives the filter column of a shared table.
static constexpr std::string_view kFilterColumn = "(def (name) { return getStreamTableFilterColumn(objByName(name)) })";
static constexpr int64_t kRowsInMemory = 65536;  // beyond those that readers need
static constexpr auto kFirstRetry = std::chrono::milliseconds(100);
static constexpr auto kLastRetry = std::chrono::milliseconds(5000);
static constexpr int64_t kNanosPerMilli = 1'000'000;

namespace {

// The error of a publisher that no longer has the row that comes next.
class RowsLost final : public UserError {
public:
    using UserError::UserError;
};

int64_t unixNanos() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Returns whether the first rows of two tables with the same columns are equal.
bool areEqualRows(const MemoryTable& left, const MemoryTable& right) {
    for (int c = 0; c < left.columnCount(); ++c) {
        const Value l = left.column(c).at(0), r = right.column(c).at(0);
        if (l.isScalar() && r.isScalar() ? !identical(l, r) : display(l) != display(r)) return false;
    }
    return true;
}

bool areSame(const TableSchema& left, const TableSchema& right) {
    return std::ranges::equal(left, right, [](const ColumnSchema& l, const ColumnSchema& r) {
        return l.name == r.name && l.type == r.type && l.scale == r.scale;
    });
}

}  // namespace

RemoteFeed::RemoteFeed(Options options) : options_(std::move(options)) {
    connect(options_.offset);
}

RemoteFeed::~RemoteFeed() {
    stop();
}

// Subscribes from the row on, and reads the columns.
void RemoteFeed::connect(int64_t offset) {
    ClientOptions reached = options_.client;
    reached.takesMessages = true;
    reached.idleCheck = [this] {
        if (isStopped_) throw UserError("The subscription was ended.");
    };
    auto client = std::make_shared<Client>(std::move(reached));
    const Value table = Value::ofString(options_.table), action = Value::ofString(options_.action);
    const std::vector<Value> named{table, action};
    const Value topic = client->call("getSubscriptionTopic", named);
    if (!topic.isTuple() || topic.tuple().elements.empty() || !topic.tuple().elements[0].isString())
        throw UserError(fmt::format("{} gave no topic of {}.", client->peerName(), options_.table));
    const std::vector<Value> only{table};
    const Value filterColumn = client->call(kFilterColumn, only);
    const std::vector<Value> arguments{
        Value::ofString("localhost"), Value::ofInt(0), table, action, Value::ofLong(offset), Value(),
        Value::ofBool(false)};
    client->call("publishTable", arguments);
    const StreamedMessage schema = client->readMessage();
    const Ref<MemoryTable> columns = tableToRead(schema.value);
    if (!columns) throw UserError(fmt::format("{} told no columns of {}.", client->peerName(), options_.table));
    if (!rows_) {
        rows_ = MemoryTable::empty(columns->columns());
        rows_->lock = std::make_shared<RecursiveMutex>();
        rows_->name = options_.table;
        makeStream(*rows_);
        rows_->stream->setBounds({.rows = kRowsInMemory, .maxLagRows = options_.maxLagRows});
        topic_ = topic.tuple().elements[0].string();
        if (filterColumn.isString()) filterColumn_ = filterColumn.string();
    } else if (!areSame(columns->columns(), rows_->columns())) {
        throw RowsLost(fmt::format("{} of {} has other columns now.", options_.table, client->peerName()));
    }
    const MutexLock lock(mutex_);
    client_ = std::move(client);
    state_.error.clear();
}

void RemoteFeed::start(std::function<void(int64_t)> begins) {
    begins_ = std::move(begins);
    thread_ = startThread([this] { receive(); });
}

void RemoteFeed::stop() {
    isStopped_ = true;
    {
        const MutexLock lock(mutex_);
        if (client_) client_->shutdown();
        stopped_.notifyAll();
    }
    if (thread_.joinable()) thread_.join();
}

RemoteFeed::State RemoteFeed::state() const {
    const MutexLock lock(mutex_);
    return state_;
}

void RemoteFeed::noteError(const std::string& why, bool hasEnded) {
    {
        const MutexLock lock(mutex_);
        client_.reset();
        if (isStopped_) return;
        if (state_.error == why && state_.hasEnded == hasEnded) return;
        state_.error = why;
        state_.hasEnded = hasEnded;
    }
    logWarning("streaming", hasEnded ? "a subscription to another node ended" : "a publisher was lost",
               {{"subscription", topic_}, {"why", why}});
}

// Returns false when the subscription was ended meanwhile.
bool RemoteFeed::waitToRetry(int attempt) {
    const auto delay = std::min<std::chrono::milliseconds>(kFirstRetry * (1 << std::min(attempt, 10)), kLastRetry);
    const auto until = std::chrono::steady_clock::now() + delay;
    MutexLock lock(mutex_);
    while (!isStopped_ && stopped_.waitUntil(lock, until)) {
    }
    return !isStopped_;
}

void RemoteFeed::receive() {
    const CancellationScope cancelled(&isStopped_);
    for (int attempt = 0;; ++attempt) {
        std::shared_ptr<Client> client;
        {
            const MutexLock lock(mutex_);
            client = client_;
        }
        try {
            if (!client) {
                connectAgain();
                continue;
            }
            attempt = 0;
            receiveFrom(*client);
        } catch (const RowsLost& error) {
            return noteError(error.what(), true);
        } catch (const std::exception& error) {
            noteError(error.what(), !options_.reconnects);
            if (!options_.reconnects || !waitToRetry(attempt)) return;
        }
    }
}

// Asks for the last row again: a publisher that was started anew may have other rows under the same numbers.
void RemoteFeed::connectAgain() {
    repeatsLast_ = false;
    if (!hasBegun_) return connect(options_.offset);
    const int64_t next = rows_->stream->total();
    try {
        connect(next - 1);
        repeatsLast_ = true;
    } catch (const RowsLost&) {
        throw;
    } catch (const UserError&) {
        connect(next);  // it keeps the rows behind the last one only
    }
}

// Returns the rows behind the one that came before. Throws RowsLost when it is another one now.
Ref<MemoryTable> RemoteFeed::withoutKnownRow(const Ref<MemoryTable>& rows) {
    repeatsLast_ = false;
    if (!areEqualRows(*rows, *lastRow_))
        throw RowsLost(fmt::format("The publisher has another row {} than before: it was started anew.",
                                   rows_->stream->total() - 1));
    return rows->slice(1, rows->rowCount() - 1);
}

// Returns never: the end of the connection throws.
void RemoteFeed::receiveFrom(Client& client) {
    for (;;) take(client.readMessage());
}

void RemoteFeed::take(const StreamedMessage& message) {
    if (!message.value.isTuple() || message.value.tuple().elements.size() != rows_->columns().size())
        throw SystemError("The publisher sent a message of other columns.");
    std::vector<std::string> names;
    for (const ColumnSchema& column : rows_->columns()) names.push_back(column.name);
    Ref<MemoryTable> rows = makeRef<MemoryTable>(std::move(names), message.value.tuple().elements);
    int64_t begin = message.id - rows->rowCount() + 1;
    if (repeatsLast_ && begin == rows_->stream->total() - 1) {
        rows = withoutKnownRow(rows);
        ++begin;
        if (rows->rowCount() == 0) return;
    }
    if (!hasBegun_) {
        hasBegun_ = true;
        rows_->stream->startAt(begin);
        begins_(begin);
    } else if (begin != rows_->stream->total()) {
        throw RowsLost(fmt::format("The publisher has lost row {}: it sent row {}.", rows_->stream->total(), begin));
    }
    append(*rows);
    lastRow_ = rows->slice(rows->rowCount() - 1, 1)->copy();
    const double latency = static_cast<double>(unixNanos() - message.sentNanos) / kNanosPerMilli;
    const MutexLock lock(mutex_);
    ++state_.messages;
    state_.lastLatencyMillis = latency;
    state_.latencyMillis += (latency - state_.latencyMillis) / static_cast<double>(state_.messages);
    state_.lastUpdateMillis = localNanos() / kNanosPerMilli;
}

// Waits for a slow handler as long as it needs: the connection is not read meanwhile.
void RemoteFeed::append(const MemoryTable& rows) {
    const int64_t before = rows_->stream->total();
    for (;;) {
        checkCancelled();
        try {
            appendToMemory(*rows_, rows);
            return;
        } catch (const UserError&) {
            if (rows_->stream->total() != before) throw;
            if (rows_->stream->total() - rows_->stream->oldestNeeded() <= options_.maxLagRows) throw;
        }
    }
}

}  // namespace pelorus
