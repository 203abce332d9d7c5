// StreamEngine is what all stream engines have in common: a table that takes rows, computes, and hands results on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/stream/row_sink.h"
#include "runtime/table/computed_table.h"

namespace pelorus {

class FunctionCells;
class Session;

// The taker of an engine's results: a table, or a function of them.
struct EngineOutput {
    Value table;            // VOID when there is a handler
    Ref<Function> handler;  // null when there is none
    bool msgAsTable = false;
};

// The arguments with which an engine was made.
struct EngineOptions {
    std::string kind;  // "ReactiveStreamEngine", as getStreamEngineStat names it
    std::string owner;
    TableSchema input;
    EngineOutput output;
    std::shared_ptr<const FunctionCells> cells;  // keep functions of the session that made it callable
};

// One engine. Its appends take turns; a computation runs as the owner, in a separate session. Thread-safe.
class StreamEngine : public ComputedTable, public RowSink {
public:
    StreamEngine(const Services& services, std::string name, EngineOptions options);
    ~StreamEngine() override;

    const TableSchema& columns() const override { return options_.input; }
    int64_t rowCount() const override { return 0; }
    RowSink* asSink() override { return this; }
    Ref<MemoryTable> rows(Context& context) override;

    int64_t take(Context& context, const MemoryTable& rows) override;
    // Does what is due by the clock, as the owner; errors go to the status.
    void tick();
    // Takes no more rows.
    void drop();

    const EngineOptions& options() const { return options_; }
    // Returns one row of getStreamEngineStat under the engine's statColumns: name, user, status and lastErrMsg come
    // before, memoryUsed after them.
    virtual TableSchema statColumns() const = 0;
    std::vector<Value> stat();
    // Returns how the engine computes, line by line; slow parts are marked.
    std::string explain(Context& context) override;
    // Returns what it keeps of each key: the keys, then columns of the kind. Throws UserError for a user who must not
    // see it, and for kinds that keep nothing by key.
    Ref<MemoryTable> state(Context& context);
    // Returns whether a user made the engine, or manages what others made.
    bool isSeenBy(const Principal& who) const;

protected:
    // Computes the results of rows, whose types are those of the input; null when there are none. Runs in turn.
    virtual Ref<MemoryTable> compute(Context& context, const Ref<MemoryTable>& rows) = 0;
    // Computes the results that are due without rows; null when there are none. Runs in turn.
    virtual Ref<MemoryTable> computeDue(Context& context);
    virtual std::vector<Value> statValues() = 0;
    virtual int64_t memoryBytes() = 0;
    virtual std::vector<std::string> describe() = 0;
    // Returns all takers of results.
    virtual std::vector<EngineOutput> outputs() const { return {options_.output}; }
    // Hands results to a taker, with the rights of the owner.
    void handOn(Context& context, const EngineOutput& output, const Ref<MemoryTable>& results);
    virtual Ref<MemoryTable> stateByKey();
    int64_t takenRows() const { return takenRows_; }
    const Services& services() const { return services_; }

    // Returns the columns of the output; empty when a handler takes the results.
    TableSchema outputColumns() const;
    // Throws UserError, S03042, unless the output has a column for each result.
    void requireOutput(size_t results, std::string_view what) const;

private:
    static constexpr auto kLongestWait = std::chrono::seconds(30);

    // The turn of one append. Throws UserError when the thread has it already, or waits for too long.
    class Turn {
    public:
        explicit Turn(StreamEngine& engine);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        StreamEngine& engine_;
    };

    // Runs a computation as the owner and hands its results on.
    void run(Request& request, int callDepth, const std::function<Ref<MemoryTable>(Context&)>& computation);
    void requireFeeding(const Context& context) const;
    void requireSeenBy(const Principal& who) const;
    void requireWorking();
    void fail(const char* what);

    const Services& services_;
    const EngineOptions options_;
    const std::unique_ptr<Session> session_;
    Mutex mutex_;
    CondVar free_;
    bool isTaken_ GUARDED_BY(mutex_) = false;
    std::thread::id holder_ GUARDED_BY(mutex_);
    std::string lastError_ GUARDED_BY(mutex_);
    bool isFatal_ GUARDED_BY(mutex_) = false;
    bool isDropped_ GUARDED_BY(mutex_) = false;
    int64_t takenRows_ = 0;  // of whoever has the turn
};

}  // namespace pelorus
