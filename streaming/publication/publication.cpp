#include "streaming/publication/publication.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "runtime/function/principal.h"
#include "runtime/function/principal_source.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/table/table_access.h"
#include "streaming/subscription/message_scope.h"

namespace pelorus {

static constexpr int64_t kSchemaId = -1;  // of the message without rows

void PublishedTable::awaitRows(int64_t row, const std::atomic<bool>& isClosed) {
    MutexLock lock(mutex_);
    while (!isClosed.load(std::memory_order_acquire) && table_->stream->published() <= row) came_.wait(lock);
}

void PublishedTable::join() {
    const MutexLock lock(mutex_);
    if (publications_++ == 0) table_->stream->listen(std::static_pointer_cast<StreamListener>(shared_from_this()));
}

void PublishedTable::leave() {
    const MutexLock lock(mutex_);
    if (--publications_ == 0) table_->stream->forget(*this);
}

void PublishedTable::rowsCame() {
    { const MutexLock lock(mutex_); }  // whoever has looked and not yet slept, sleeps now
    came_.notifyAll();
}

Publication::Publication(const Services& services, std::shared_ptr<PublishedTable> table, PublicationOptions options,
                         std::unique_ptr<RowFilter> filter, std::shared_ptr<const FunctionCells> cells, int64_t first)
    : services_(services),
      shared_(std::move(table)),
      options_(std::move(options)),
      filter_(std::move(filter)),
      cells_(std::move(cells)),
      position_(first),
      session_(services),
      reader_(shared_->table()) {}

Publication::~Publication() = default;

void Publication::start() {
    table()->stream->listen(std::static_pointer_cast<StreamListener>(shared_from_this()));
    shared_->join();
}

void Publication::attach(std::function<void()> onClose, std::function<bool()> hasLeft) {
    const MutexLock lock(mutex_);
    if (isClosed()) {
        onClose();
        return;
    }
    onClose_ = std::move(onClose);
    hasLeft_ = std::move(hasLeft);
}

void Publication::detach() {
    const MutexLock lock(mutex_);
    // Its thread may see that it is closed before whoever closes it has come to the connection.
    if (isClosed() && onClose_) onClose_();
    onClose_ = {};
    hasLeft_ = {};
}

bool Publication::hasLeft() const {
    const MutexLock lock(mutex_);
    return isClosed() || (hasLeft_ && hasLeft_());
}

void Publication::close() {
    if (isClosed_.exchange(true)) return;
    table()->stream->forget(*this);
    shared_->leave();
    shared_->rowsCame();
    const MutexLock lock(mutex_);
    if (request_) request_->cancelled = true;
    if (onClose_) onClose_();
    onClose_ = {};
}

// A table that bounds its rows in memory and is not on disk keeps them no longer for a subscriber that is too slow.
void Publication::rowsCame() {
    const StreamLog& log = *table()->stream;
    if (!log.isBounded() || log.keeper() || waitingRows() <= options_.maxLagRows) return;
    if (isClosed()) return;
    logWarning("streaming", "a subscriber is too slow and was cut off",
               {{"subscription", options_.topic},
                {"subscriber", fmt::format("{}:{}", options_.host, options_.port)},
                {"offset", position()},
                {"waitingRows", waitingRows()}});
    close();
}

int64_t Publication::waitingRows() const {
    return std::max<int64_t>(table()->stream->published() - position(), 0);
}

std::string Publication::head(int64_t id) const {
    const int64_t now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    std::string bytes(1, '\x01');
    bytes.append(reinterpret_cast<const char*>(&now), sizeof now);
    bytes.append(reinterpret_cast<const char*>(&id), sizeof id);
    bytes.append(options_.topic.c_str(), options_.topic.size() + 1);
    return bytes;
}

std::string Publication::encode(const Ref<MemoryTable>& rows) const {
    std::string bytes;
    if (options_.sendsTables) {
        encodeValue(Value::of(Ref<Table>(rows)), Peer::Client, bytes);
        return bytes;
    }
    std::vector<Value> columns;
    for (int c = 0; c < rows->columnCount(); ++c) columns.push_back(rows->column(c));
    encodeValue(Value::of(makeRef<Tuple>(std::move(columns))), Peer::Client, bytes);
    return bytes;
}

Publication::Message Publication::schemaMessage() const {
    auto block = std::make_shared<EncodedBlock>();
    encodeValue(Value::of(Ref<Table>(MemoryTable::empty(table()->columns()))), Peer::Client, block->bytes);
    return {head(kSchemaId), std::move(block)};
}

Publication::Message Publication::errorMessage(std::string_view why) const {
    auto block = std::make_shared<EncodedBlock>();
    encodeValue(Value::ofString(fmt::format("error.publication: {}", why)), Peer::Client, block->bytes);
    return {head(kSchemaId), std::move(block)};
}

// Makes the request of the next message: of the owner, with the rights of this moment.
void Publication::requireRight() {
    std::shared_ptr<const Principal> owner = principalOf(services_, options_.owner);
    std::shared_ptr<Request> request;
    {
        const MutexLock lock(mutex_);
        if (!request_ || request_->sharedPrincipal() != owner) request_ = std::make_shared<Request>(std::move(owner));
        if (isClosed()) request_->cancelled = true;
        request = request_;
    }
    const Context context(services_, *request);
    requireAccess(context, *table(), Right::Read);
}

// Returns the rows of the range that the filter chooses; null when there are none.
std::shared_ptr<const EncodedBlock> Publication::filtered(int64_t begin, int64_t end) {
    std::shared_ptr<Request> request;
    {
        const MutexLock lock(mutex_);
        request = request_;
    }
    MessageScope scope(services_, *request, session_);
    const Ref<MemoryTable> chosen = filter_->apply(scope.context(), reader_.read(begin, end));
    if (chosen->rowCount() == 0) return nullptr;
    auto block = std::make_shared<EncodedBlock>();
    block->begin = begin;
    block->end = end;
    block->bytes = encode(chosen);
    return block;
}

std::optional<Publication::Message> Publication::nextMessage() {
    for (;;) {
        const int64_t begin = position();
        shared_->awaitRows(begin, isClosed_);
        if (isClosed()) return std::nullopt;
        requireRight();
        if (begin < reader_.oldest())
            throw UserError(fmt::format("Row {} of {} is no longer kept: the earliest one is {}.", begin,
                                        options_.table, reader_.oldest()));
        const int64_t published = table()->stream->published();
        std::shared_ptr<const EncodedBlock> block;
        int64_t end = 0;
        if (filter_) {
            end = std::min(published, begin + shared_->rowsOfMessage());
            block = filtered(begin, end);
        } else {
            block = shared_->blocks().at(begin, published,
                                         [&](int64_t from, int64_t to) { return encode(reader_.read(from, to)); });
            end = block->end;
        }
        position_.store(end, std::memory_order_release);
        if (block) return Message{head(end - 1), std::move(block)};
    }
}

}  // namespace pelorus
