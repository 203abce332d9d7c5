#include "streaming/engine/stream_engine.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/log.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/vm.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal_source.h"
#include "runtime/table/table_access.h"

namespace pelorus {

StreamEngine::Turn::Turn(StreamEngine& engine) : engine_(engine) {
    MutexLock lock(engine.mutex_);
    if (engine.isTaken_ && engine.holder_ == std::this_thread::get_id())
        throw UserError(
            fmt::format("The engine {} computes: its own output can't write to it or ask for it.", engine.name),
            "Outputs of engines must not form a circle.");
    const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
    while (engine.isTaken_) {
        if (!engine.free_.waitUntil(lock, deadline) && engine.isTaken_)
            throw UserError(fmt::format("The engine {} has been busy for 30 s.", engine.name),
                            "Outputs of engines may form a circle, or wait for something.");
    }
    if (engine.isDropped_) throw UserError(fmt::format("The engine {} was dropped.", engine.name));
    engine.isTaken_ = true;
    engine.holder_ = std::this_thread::get_id();
}

StreamEngine::Turn::~Turn() {
    const MutexLock lock(engine_.mutex_);
    engine_.isTaken_ = false;
    engine_.free_.notifyOne();
}

StreamEngine::StreamEngine(const Services& services, std::string name, EngineOptions options)
    : services_(services), options_(std::move(options)), session_(std::make_unique<Session>(services)) {
    this->name = std::move(name);
}

StreamEngine::~StreamEngine() = default;

Ref<MemoryTable> StreamEngine::rows(Context&) {
    return MemoryTable::empty(options_.input);
}

TableSchema StreamEngine::outputColumns() const {
    return options_.output.table.isTable() ? options_.output.table.table().columns() : TableSchema();
}

void StreamEngine::requireOutput(size_t results, std::string_view what) const {
    if (!options_.output.table.isTable()) return;
    const auto columns = static_cast<size_t>(writtenColumns(options_.output.table.table()));
    if (columns == results) return;
    throw UserError(
        fmt::format("outputTable has {} columns, but there are {} results: {}. RefId: S03042", columns, results, what));
}

// An engine writes as its owner: who has not made it must not write by it what he may not write himself.
void StreamEngine::requireFeeding(const Context& context) const {
    const Principal& who = context.principal();
    if (isSeenBy(who)) return;
    for (const EngineOutput& output : outputs()) {
        if (output.handler)
            throw UserError(fmt::format("<NoPrivilege>The engine {} belongs to {}, and hands results to a function.",
                                        name, options_.owner),
                            "Its owner or an administrator can give it rows.");
        Table& table = output.table.table();
        if (const auto* next = dynamic_cast<const StreamEngine*>(&table)) {
            next->requireFeeding(context);
        } else if (PartitionedTable* stored = table.asPartitioned()) {
            stored->require(who, Right::Insert);
        } else {
            requireAccess(context, table, Right::Insert);
        }
    }
}

int64_t StreamEngine::take(Context& context, const MemoryTable& given) {
    requireFeeding(context);
    Ref<MemoryTable> rows = MemoryTable::empty(options_.input);
    rows->append(given);  // converts, and throws before anything was taken
    const Turn turn(*this);
    requireWorking();
    run(*context.request, context.callDepth, [&](Context& inside) {
        Ref<MemoryTable> results = compute(inside, rows);
        takenRows_ += rows->rowCount();
        return results;
    });
    return rows->rowCount();
}

void StreamEngine::requireWorking() {
    const MutexLock lock(mutex_);
    if (isFatal_)
        throw UserError(fmt::format("The engine {} failed before, and takes no more rows: {}", name, lastError_),
                        "Drop it with dropStreamEngine, and make it anew.");
}

void StreamEngine::run(Request& request, int callDepth, const std::function<Ref<MemoryTable>(Context&)>& computation) {
    const std::shared_ptr<const Principal> owner = principalOf(services_, options_.owner);
    Context inside(services_, request);
    inside.definer = owner.get();
    inside.session = session_.get();
    inside.scope = session_.get();
    inside.callDepth = callDepth;
    try {
        const Ref<MemoryTable> results = computation(inside);
        if (results && results->rowCount() > 0) handOn(inside, options_.output, results);
    } catch (const std::exception& error) {
        fail(error.what());
        throw;
    }
}

void StreamEngine::tick() {
    try {
        Request request(principalOf(services_, options_.owner));
        const Turn turn(*this);
        requireWorking();
        run(request, 0, [&](Context& inside) { return computeDue(inside); });
    } catch (const std::exception& error) {
        logWarning("streaming", error.what(), {{"engine", name}});
    }
}

Ref<MemoryTable> StreamEngine::computeDue(Context&) {
    return {};
}

// States may have taken the rows in part: what they would give later is unknown.
void StreamEngine::fail(const char* what) {
    const MutexLock lock(mutex_);
    isFatal_ = true;
    lastError_ = what;
}

void StreamEngine::handOn(Context& context, const EngineOutput& output, const Ref<MemoryTable>& results) {
    if (output.handler) {
        std::vector<Value> columns;
        for (int c = 0; c < results->columnCount(); ++c) columns.push_back(results->column(c));
        std::vector<Value> arguments{output.msgAsTable ? Value::of(Ref<Table>(results))
                                                       : Value::of(makeRef<Tuple>(std::move(columns)))};
        callFunction(*output.handler, context, arguments);
        return;
    }
    requireAccess(context, output.table, Right::Insert);
    Value target = output.table;
    appendToTable(context, target, *results);
}

void StreamEngine::drop() {
    const Turn turn(*this);
    const MutexLock lock(mutex_);
    isDropped_ = true;
}

bool StreamEngine::isSeenBy(const Principal& who) const {
    return who.user() == options_.owner || who.mayManageWorkOf(options_.owner);
}

std::string StreamEngine::explain(Context& context) {
    requireSeenBy(context.principal());
    const Turn turn(*this);
    return fmt::format("{}", fmt::join(describe(), "\n"));
}

Ref<MemoryTable> StreamEngine::state(Context& context) {
    requireSeenBy(context.principal());
    const Turn turn(*this);
    return stateByKey();
}

Ref<MemoryTable> StreamEngine::stateByKey() {
    throw UserError(fmt::format("The engine {} is a {}, which keeps nothing by key.", name, options_.kind));
}

void StreamEngine::requireSeenBy(const Principal& who) const {
    if (!isSeenBy(who))
        throw UserError(fmt::format("<NoPrivilege>The engine {} belongs to {}.", name, options_.owner),
                        "Its owner or an administrator can see how it computes.");
}

std::vector<Value> StreamEngine::stat() {
    const Turn turn(*this);
    std::vector<Value> row{Value::ofString(name), Value::ofString(options_.owner)};
    {
        const MutexLock lock(mutex_);
        row.push_back(Value::ofString(isFatal_ ? "FATAL" : "OK"));
        row.push_back(Value::ofString(lastError_));
    }
    for (Value& value : statValues()) row.push_back(std::move(value));
    row.push_back(Value::ofLong(memoryBytes()));
    return row;
}

}  // namespace pelorus
