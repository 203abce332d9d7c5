#include "streaming/subscription/subscription.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/time/local_clock.h"
#include "interpreter/vm/vm.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal_source.h"
#include "runtime/table/table_access.h"
#include "streaming/subscription/message_scope.h"
#include "streaming/subscription/remote_feed.h"

namespace pelorus {

namespace {

constexpr auto kFirstRetry = std::chrono::milliseconds(100);
constexpr auto kLastRetry = std::chrono::seconds(10);
constexpr int64_t kMillisBetweenLogLines = 60'000;

Value asTuple(const MemoryTable& rows) {
    std::vector<Value> columns;
    for (int c = 0; c < rows.columnCount(); ++c) columns.push_back(rows.column(c));
    return Value::of(makeRef<Tuple>(std::move(columns)));
}

}  // namespace

Subscription::Subscription(const Services& services, Strands& strands, std::shared_ptr<Strand> strand,
                           Ref<MemoryTable> table, SubscriptionOptions options, std::unique_ptr<RowFilter> filter,
                           std::shared_ptr<const FunctionCells> cells, int64_t first)
    : services_(services),
      strands_(strands),
      strand_(std::move(strand)),
      table_(std::move(table)),
      options_(std::move(options)),
      filter_(std::move(filter)),
      cells_(std::move(cells)),
      position_(first),
      session_(services),
      reader_(table_),
      lastRun_(Strands::Clock::now()) {}

Subscription::~Subscription() = default;

void Subscription::start() {
    table_->stream->listen(std::static_pointer_cast<StreamListener>(shared_from_this()));
    if (options_.feed) options_.feed->start([this](int64_t row) { position_.store(row, std::memory_order_release); });
    rowsCame();
}

void Subscription::rowsCame() {
    if (isClosed_.load() || isPosted_.exchange(true)) return;
    strands_.post(strand_, shared_from_this());
}

void Subscription::again(Strands::Clock::time_point when) {
    if (when >= wakesAt_) return;
    wakesAt_ = when;
    strands_.postAt(when, strand_, std::weak_ptr<StrandTask>(std::static_pointer_cast<StrandTask>(shared_from_this())));
}

void Subscription::run(int worker) {
    isPosted_.store(false);
    {
        const MutexLock lock(mutex_);
        if (isClosed_.load()) return;
        isRunning_ = true;
        runner_ = std::this_thread::get_id();
        state_.worker = worker;
    }
    if (Strands::Clock::now() >= wakesAt_) wakesAt_ = Strands::Clock::time_point::max();
    std::optional<Message> message;
    try {
        message = failed_ ? std::exchange(failed_, std::nullopt) : nextMessage();
    } catch (const std::exception& error) {
        fail({Ref<MemoryTable>(), position()}, error.what());  // of the filter
    }
    if (message) deliver(*message);
    bool hasMore = false;
    {
        const MutexLock lock(mutex_);
        isRunning_ = false;
        hasMore = !failed_ && message.has_value();
        ended_.notifyAll();
    }
    if (hasMore) rowsCame();
}

// Goes on at the oldest row that is kept.
void Subscription::skipRemoved(int64_t oldest) {
    const int64_t skipped = oldest - position();
    position_.store(oldest, std::memory_order_release);
    logWarning("streaming", "rows were removed before a subscription read them",
               {{"subscription", options_.topic}, {"rows", skipped}});
    const MutexLock lock(mutex_);
    state_.skipped += skipped;
}

// Returns whether so few rows are handed over now, since `throttle` has passed; else sets the time for it.
bool Subscription::isDue(int64_t waiting, int64_t total) {
    if (waiting == 0 && !(options_.timeTrigger && total >= 0)) return false;
    const auto due = lastRun_ + options_.throttle;
    if (Strands::Clock::now() >= due) return true;
    again(due);
    return false;
}

std::optional<Subscription::Message> Subscription::nextMessage() {
    const StreamLog& log = *table_->stream;
    const int64_t total = log.published();
    if (position() < log.first()) {
        if (const int64_t oldest = reader_.oldest(); position() < oldest) skipRemoved(oldest);
    }
    if (filter_) return nextFiltered(total);
    const int64_t begin = position(), waiting = total - begin;
    int64_t end = begin;
    if (options_.batchSize <= 0) {
        if (waiting > 0) end = reader_.endOfAppend(begin);
    } else if (waiting >= options_.batchSize) {
        end = reader_.endOfAppend(begin + options_.batchSize - 1);
    } else if (isDue(waiting, total)) {
        end = total;
    }
    const bool isTick = end == begin && options_.timeTrigger && isDue(0, total);
    if (end == begin && !isTick) return std::nullopt;
    Message message{reader_.read(begin, end), end};
    position_.store(end, std::memory_order_release);
    return message;
}

// Filters append by append, and keeps what is too little for a message.
std::optional<Subscription::Message> Subscription::nextFiltered(int64_t total) {
    const int64_t wanted = std::max<int64_t>(options_.batchSize, 1);
    int64_t have = kept_ ? kept_->rowCount() : 0;
    while (have < wanted && position() < total) {
        const int64_t begin = position(), end = reader_.endOfAppend(begin);
        const Ref<MemoryTable> rows = reader_.read(begin, end);
        position_.store(end, std::memory_order_release);
        takeRequest();
        std::shared_ptr<Request> request;
        {
            const MutexLock lock(mutex_);
            request = request_;
        }
        MessageScope scope(services_, *request, session_);
        const Ref<MemoryTable> chosen = filter_->apply(scope.context(), rows);
        if (!kept_ || have == 0) {
            kept_ = chosen->copy();
        } else {
            kept_->append(*chosen);
        }
        have = kept_->rowCount();
    }
    const bool isEnough = have >= wanted || (options_.batchSize > 0 && isDue(have, total));
    if (!isEnough) {
        if (!(options_.timeTrigger && isDue(0, total))) return std::nullopt;
        if (!kept_) kept_ = MemoryTable::empty(table_->columns());
    }
    return Message{std::exchange(kept_, Ref<MemoryTable>()), position()};
}

// Makes the request of the next message: of the owner, with the rights of this moment.
void Subscription::takeRequest() {
    std::shared_ptr<const Principal> owner = principalOf(services_, options_.owner);
    const MutexLock lock(mutex_);
    if (request_ && request_->sharedPrincipal() == owner) return;
    request_ = std::make_shared<Request>(std::move(owner));
    request_->print = [topic = options_.topic](std::string_view string) {
        logInfo("streaming", string, {{"subscription", topic}});
    };
    if (isClosed_.load()) request_->cancelled = true;
}

void Subscription::handle(Context& context, const Message& message) {
    requireAccess(context, *table_, Right::Read);
    const Value id = Value::ofLong(message.end - 1);
    if (options_.handler.isTable()) {
        requireAccess(context, options_.handler, Right::Insert);
        Value taker = options_.handler;
        appendToTable(context, taker, *message.rows);
        return;
    }
    std::vector<Value> arguments{options_.msgAsTable ? Value::of(Ref<Table>(message.rows)) : asTuple(*message.rows)};
    if (options_.handlerNeedsMsgId) arguments.push_back(id);
    callFunction(options_.handler.function(), context, arguments);
}

void Subscription::deliver(const Message& message) {
    lastRun_ = Strands::Clock::now();
    try {
        takeRequest();
        std::shared_ptr<Request> request;
        {
            const MutexLock lock(mutex_);
            request = request_;
        }
        MessageScope scope(services_, *request, session_);
        handle(scope.context(), message);
        if (options_.keepPosition) options_.keepPosition(message.end);
        const MutexLock lock(mutex_);
        state_.processed += message.rows->rowCount();
        state_.lastId = message.end - 1;
        retryDelay_ = {};
    } catch (const std::exception& error) {
        fail(message, error.what());
    }
}

void Subscription::fail(const Message& message, const char* what) {
    bool isNews = false;
    {
        const MutexLock lock(mutex_);
        const int64_t now = localMillis();
        isNews = state_.lastError != what || now - state_.lastFailedMillis > kMillisBetweenLogLines;
        state_.failed += message.rows ? std::max<int64_t>(message.rows->rowCount(), 1) : 1;
        state_.lastFailedId = message.end - 1;
        state_.lastFailedMillis = now;
        state_.lastError = what;
        state_.isStopped = options_.onError == OnError::Stop;
    }
    if (isNews) logWarning("streaming", what, {{"subscription", options_.topic}, {"message", message.end - 1}});
    if (options_.onError == OnError::Skip && options_.keepPosition && message.rows) keepPassed(message.end);
    if (options_.onError == OnError::Stop) {
        isClosed_.store(true);
        table_->stream->forget(*this);  // its rows need not be kept
    }
    if (options_.onError != OnError::Retry || !message.rows) return;
    failed_ = message;
    retryDelay_ = retryDelay_.count() == 0 ? Strands::Clock::duration(kFirstRetry)
                                           : std::min<Strands::Clock::duration>(retryDelay_ * 2, kLastRetry);
    wakesAt_ = Strands::Clock::time_point::max();
    again(Strands::Clock::now() + retryDelay_);
}

// A message that failed and is skipped counts as handled.
void Subscription::keepPassed(int64_t end) {
    try {
        options_.keepPosition(end);
    } catch (const Error& error) {
        logWarning("streaming", "the position of a subscription can't be stored",
                   {{"subscription", options_.topic}, {"why", error.what()}});
    }
}

void Subscription::close() {
    closeUntil(Strands::Clock::now() + kEndingTime);
}

void Subscription::closeUntil(Strands::Clock::time_point deadline) {
    if (options_.feed) options_.feed->stop();
    table_->stream->forget(*this);
    MutexLock lock(mutex_);
    isClosed_.store(true);
    if (isRunning_ && runner_ == std::this_thread::get_id()) return;
    while (isRunning_ && ended_.waitUntil(lock, deadline)) {
    }
    if (isRunning_ && request_) request_->cancelled = true;
    while (isRunning_) ended_.wait(lock);
}

std::thread::id Subscription::runner() const {
    const MutexLock lock(mutex_);
    return isRunning_ ? runner_ : std::thread::id();
}

SubscriptionState Subscription::state() const {
    const int64_t total = table_->stream->published();
    const MutexLock lock(mutex_);
    SubscriptionState state = state_;
    state.waitingRows = std::max<int64_t>(total - position(), 0);
    return state;
}

}  // namespace pelorus
