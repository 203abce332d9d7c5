// Subscription hands the rows of a stream table to a handler, as they come.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "interpreter/session/session.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table.h"
#include "streaming/subscription/row_filter.h"
#include "streaming/subscription/strands.h"
#include "streaming/subscription/stream_reader.h"

namespace pelorus {

class RemoteFeed;

// The reaction of a subscription to a message that failed.
enum class OnError : uint8_t {
    Skip,   // goes on with the next message
    Stop,   // takes no further message
    Retry,  // hands over the same message again, after 100 ms, then after twice as long, up to 10 s
};

// The arguments of subscribeTable.
struct SubscriptionOptions {
    std::string server;  // that has the table, as the script named it; empty: this node
    std::string table, action;
    std::string topic;  // host:port:alias/table/action
    std::string owner;  // the user with whose rights the handler runs
    Value handler;      // a function, or a table that takes the rows
    bool msgAsTable = false;
    int64_t batchSize = 0;
    Strands::Clock::duration throttle = std::chrono::seconds(1);
    int hash = -1;
    Value filter;  // as it was given; VOID without one
    bool timeTrigger = false;
    bool handlerNeedsMsgId = false;
    bool storesPosition = false;
    std::function<void(int64_t row)> keepPosition;  // stores that all rows before this one were handled; may be empty
    OnError onError = OnError::Skip;
    std::shared_ptr<RemoteFeed> feed;  // brings the rows of another node; null for a table of this one

    // Returns the name of its stored position.
    std::string positionKey() const { return (server.empty() ? "" : server + "/") + table + "/" + action; }
};

// The counters of a subscription, as getStreamingStat shows them. Times are local milliseconds since 1970; ids are the
// numbers of rows, -1 before the first message.
struct SubscriptionState {
    int worker = 0;  // 0 before the first message
    int64_t waitingRows = 0;
    int64_t processed = 0, lastId = -1;
    int64_t skipped = 0;  // rows that were removed from disk before they were read
    int64_t failed = 0, lastFailedId = -1, lastFailedMillis = 0;
    std::string lastError;
    bool isStopped = false;
};

// A cursor in a stream table with the handler that takes its messages. Its strand runs one message at a time, as the
// owner, in a separate session; other threads ask for its state and close it. Thread-safe.
class Subscription final : public StrandTask, public StreamListener, public std::enable_shared_from_this<Subscription> {
public:
    // `first` is the number of the row to begin with. `cells` keep recursive functions of the session callable.
    Subscription(const Services& services, Strands& strands, std::shared_ptr<Strand> strand, Ref<MemoryTable> table,
                 SubscriptionOptions options, std::unique_ptr<RowFilter> filter,
                 std::shared_ptr<const FunctionCells> cells, int64_t first);
    ~Subscription() override;

    // Begins to listen to the table.
    void start();
    // Ends it: what waits is dropped, a running handler gets kEndingTime and is then cancelled. Returns when no handler
    // runs; at once when the handler itself calls it.
    void close();
    // Ends it likewise, and cancels a running handler at that time.
    void closeUntil(Strands::Clock::time_point deadline);

    const SubscriptionOptions& options() const { return options_; }
    const Ref<MemoryTable>& table() const { return table_; }
    SubscriptionState state() const;

    void run(int worker) override;
    void rowsCame() override;
    int64_t position() const override { return position_.load(std::memory_order_acquire); }
    std::string describe() const override { return options_.topic; }
    std::thread::id runner() const override;

private:
    static constexpr auto kEndingTime = std::chrono::seconds(30);

    // Rows for one call of the handler; `end` is the number of the row after the last one of them.
    struct Message {
        Ref<MemoryTable> rows;
        int64_t end = 0;
    };
    std::optional<Message> nextMessage();
    std::optional<Message> nextFiltered(int64_t total);
    void skipRemoved(int64_t oldest);
    bool isDue(int64_t waiting, int64_t total);
    void deliver(const Message& message);
    void handle(Context& context, const Message& message);
    void takeRequest();
    void fail(const Message& message, const char* what);
    void keepPassed(int64_t end);
    void again(Strands::Clock::time_point when);

    const Services& services_;
    Strands& strands_;
    const std::shared_ptr<Strand> strand_;
    const Ref<MemoryTable> table_;
    SubscriptionOptions options_;
    const std::unique_ptr<RowFilter> filter_;  // null: all rows
    const std::shared_ptr<const FunctionCells> cells_;
    std::atomic<int64_t> position_;      // the first row that was not read
    std::atomic<bool> isPosted_{false};  // the strand will run it
    std::atomic<bool> isClosed_{false};

    // These belong to the strand.
    Session session_;
    StreamReader reader_;
    Ref<MemoryTable> kept_;  // filtered rows that wait for more; null: none
    std::optional<Message> failed_;
    Strands::Clock::duration retryDelay_{};
    Strands::Clock::time_point lastRun_;
    Strands::Clock::time_point wakesAt_ = Strands::Clock::time_point::max();

    mutable Mutex mutex_;  // no handler runs under it
    CondVar ended_;
    std::shared_ptr<Request> request_ GUARDED_BY(mutex_);
    bool isRunning_ GUARDED_BY(mutex_) = false;
    std::thread::id runner_ GUARDED_BY(mutex_);  // of the last message
    SubscriptionState state_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
