// Publication is one subscriber elsewhere, a client or another node, to which the rows of a stream table are sent.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/thread/mutex.h"
#include "interpreter/session/session.h"
#include "runtime/function/context.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table.h"
#include "streaming/publication/encoded_blocks.h"
#include "streaming/subscription/row_filter.h"
#include "streaming/subscription/stream_reader.h"

namespace pelorus {

// Wakes the publications of one table when rows come, and shares what they send. Its publications own it. Thread-safe.
class PublishedTable final : public StreamListener, public std::enable_shared_from_this<PublishedTable> {
public:
    PublishedTable(Ref<MemoryTable> table, int64_t rowsOfMessage)
        : table_(std::move(table)), blocks_(rowsOfMessage), rowsOfMessage_(rowsOfMessage) {}

    const Ref<MemoryTable>& table() const { return table_; }
    EncodedBlocks& blocks() { return blocks_; }
    int64_t rowsOfMessage() const { return rowsOfMessage_; }
    // Waits until there are rows from this number on, or `isClosed` is set.
    void awaitRows(int64_t row, const std::atomic<bool>& isClosed);
    // Counts the publications: the table is listened to while there are some.
    void join();
    void leave();
    // Wakes all who wait.
    void rowsCame() override;
    // It needs no rows: its publications are listeners, too.
    int64_t position() const override { return INT64_MAX; }
    std::string describe() const override { return "subscribers of " + table_->name; }
    std::thread::id runner() const override { return {}; }

private:
    const Ref<MemoryTable> table_;
    EncodedBlocks blocks_;
    const int64_t rowsOfMessage_;
    Mutex mutex_;   // also orders the look at the table before the wait
    CondVar came_;  // rows came, or a publication was closed
    int publications_ GUARDED_BY(mutex_) = 0;
};

// The arguments of publishTable, and who sent them.
struct PublicationOptions {
    std::string table, action;
    std::string topic;  // as getSubscriptionTopic gives it
    std::string owner;  // with whose rights the rows are read
    std::string host;   // of the subscriber's end of the connection
    int port = 0;
    bool sendsTables = false;        // messages are tables instead of tuples of columns
    int64_t maxLagRows = INT64_MAX;  // beyond it a table that bounds its rows in memory lets the subscriber go
};

// A cursor in a stream table whose rows go to a subscriber as messages. One thread takes the messages; others close it
// and look at it.
class Publication final : public StreamListener, public std::enable_shared_from_this<Publication> {
public:
    // The bytes of one message are `head` followed by `body`.
    struct Message {
        std::string head;
        std::shared_ptr<const EncodedBlock> body;
    };

    // `first` is the number of the row to begin with, `filter` may be null. `cells` keep recursive functions of the
    // filter callable.
    Publication(const Services& services, std::shared_ptr<PublishedTable> table, PublicationOptions options,
                std::unique_ptr<RowFilter> filter, std::shared_ptr<const FunctionCells> cells, int64_t first);
    ~Publication() override;

    // Begins to listen to the table.
    void start();
    // Returns the message that tells the columns; the first that a subscriber gets.
    Message schemaMessage() const;
    // Waits for rows and returns them as the next message; nothing once the publication is closed. Throws UserError
    // when the owner may not read the table any more or the filter fails, SystemError when the disk refuses: it is of
    // no further use then.
    std::optional<Message> nextMessage();
    // Returns a message that tells a subscriber why there are no more.
    Message errorMessage(std::string_view why) const;

    // Ends it: nobody waits for it any more. Calls `onClose` once. Any thread.
    void close();
    bool isClosed() const { return isClosed_.load(std::memory_order_acquire); }
    // Sets what ends the connection; called at once when the publication is closed already. `hasLeft` returns whether
    // the subscriber is gone.
    void attach(std::function<void()> onClose, std::function<bool()> hasLeft);
    // Sets that the connection is served no more; neither function is called from then on. A publication that was
    // closed calls `onClose` now, unless it has.
    void detach();
    // Returns whether the subscriber has left, as far as its connection knows. Any thread.
    bool hasLeft() const;

    const PublicationOptions& options() const { return options_; }
    const Ref<MemoryTable>& table() const { return shared_->table(); }
    // Returns the rows that it has not sent yet. Any thread.
    int64_t waitingRows() const;

    void rowsCame() override;
    int64_t position() const override { return position_.load(std::memory_order_acquire); }
    std::string describe() const override { return options_.topic; }
    std::thread::id runner() const override { return {}; }

private:
    std::string head(int64_t id) const;
    std::string encode(const Ref<MemoryTable>& rows) const;
    void requireRight();
    std::shared_ptr<const EncodedBlock> filtered(int64_t begin, int64_t end);

    const Services& services_;
    const std::shared_ptr<PublishedTable> shared_;
    const PublicationOptions options_;
    const std::unique_ptr<RowFilter> filter_;  // null: all rows
    const std::shared_ptr<const FunctionCells> cells_;
    std::atomic<int64_t> position_;  // the first row that was not sent
    std::atomic<bool> isClosed_{false};

    // These belong to the thread that takes messages.
    Session session_;
    StreamReader reader_;

    mutable Mutex mutex_;
    std::shared_ptr<Request> request_ GUARDED_BY(mutex_);
    std::function<void()> onClose_ GUARDED_BY(mutex_);
    std::function<bool()> hasLeft_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
