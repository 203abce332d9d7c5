// RemoteFeed brings the rows of a stream table of another node into a stream table of this one, for one subscription.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "net/client.h"
#include "runtime/table/table.h"

namespace pelorus {

// A connection to the publisher with the thread that reads it. Rows have the publisher's numbers. When the connection
// breaks it subscribes again from the last row that came, if that is wanted, and goes on behind it; when the publisher
// has lost that row, or has another one in its place, it ends. Thread-safe.
class RemoteFeed {
public:
    struct Options {
        ClientOptions client;  // how to reach the publisher
        std::string server;    // as the script named it
        std::string table, action;
        int64_t offset = -1;
        bool reconnects = false;
        int64_t maxLagRows = 10'000'000;  // rows that may wait here; the connection is not read beyond it
    };
    // What getStreamingStat shows of it. Latencies are milliseconds from the publisher's sending to the arrival.
    struct State {
        int64_t messages = 0;
        double latencyMillis = 0;  // mean
        double lastLatencyMillis = 0;
        int64_t lastUpdateMillis = 0;  // local, 0 before the first message
        std::string error;             // of the last broken connection; empty while rows come
        bool hasEnded = false;
    };

    // Subscribes. Throws SystemError when the publisher cannot be reached, UserError when it refuses.
    explicit RemoteFeed(Options options);
    // Calls stop.
    ~RemoteFeed();

    // Begins to receive. `begins` is told the number of the first row before that row is in the table.
    void start(std::function<void(int64_t row)> begins);
    // Ends the subscription; returns when nothing more is appended.
    void stop();

    const Options& options() const { return options_; }
    // Returns the topic that the publisher gave: host:port:alias/table/action.
    const std::string& topic() const { return topic_; }
    // Returns the table that gets the rows; it keeps those that its readers still need.
    const Ref<MemoryTable>& rows() const { return rows_; }
    // Returns the column of the publisher's table by which filters choose; empty without one.
    const std::string& filterColumn() const { return filterColumn_; }
    State state() const;

private:
    void connect(int64_t offset);
    void connectAgain();
    Ref<MemoryTable> withoutKnownRow(const Ref<MemoryTable>& rows);
    void receive();
    void receiveFrom(Client& client);
    void take(const StreamedMessage& message);
    void append(const MemoryTable& rows);
    bool waitToRetry(int attempt);
    void noteError(const std::string& why, bool hasEnded);

    const Options options_;
    std::string topic_, filterColumn_;
    Ref<MemoryTable> rows_;
    std::function<void(int64_t)> begins_;
    // These belong to the thread.
    bool hasBegun_ = false;     // the first row came
    bool repeatsLast_ = false;  // the next message begins with the last row that came, since it was asked for again
    Ref<MemoryTable> lastRow_;  // of the last message
    CancellationFlag isStopped_{false};
    std::thread thread_;

    mutable Mutex mutex_;
    CondVar stopped_;
    std::shared_ptr<Client> client_ GUARDED_BY(mutex_);  // null while there is no connection
    State state_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
