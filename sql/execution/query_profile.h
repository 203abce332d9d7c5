// Trace of a query's steps and their times, for [HINT_EXPLAIN] and explain analyze: what runs around plans opens steps,
// and a step contains those that opened while it was open. There is no cost and no record while no query of the thread
// is explained.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pelorus {

class PartitionedTable;
class TableSnapshot;

// A plan that ran, as a trace shows it below the step that ran it.
class TracedPlan {
public:
    virtual ~TracedPlan() = default;
    // Returns its nodes as a JSON object whose lines begin with `indent`, but for the first.
    virtual std::string json(const std::string& indent) const = 0;
    // Returns its nodes one in a line, each indented more than the one above it that takes its rows.
    virtual std::string text(int depth) const = 0;
};

// Recorder of the steps of the thread that made it, as long as it lives. A nested trace records its steps separately.
class QueryTrace {
public:
    QueryTrace();
    ~QueryTrace();
    QueryTrace(const QueryTrace&) = delete;
    QueryTrace& operator=(const QueryTrace&) = delete;

    static bool isOn();
    // { "measurement": "microsecond", "explain": { steps and fields } }
    std::string json() const;
    // The plans that ran, and the steps around them.
    std::string text() const;

    // Adds a plan to the open step. REQUIRES of this and of addStep: isOn().
    static void addPlan(std::shared_ptr<const TracedPlan> plan);
    // Adds a step, for a node of the plan that the open step ran.
    static void addStep(const char* name, const std::vector<std::pair<const char*, int64_t>>& fields);

    struct Step {
        std::string name;
        std::vector<std::pair<std::string, std::string>> fields;  // values as JSON
        std::vector<std::unique_ptr<Step>> steps;
        std::vector<std::shared_ptr<const TracedPlan>> plans;
        bool isOfPlan = false;  // a text shows the plan itself
    };

private:
    Step root_;
    Step* outer_;
};

// Scope in which steps are not recorded: a step that is repeated for each partition.
class TracePause {
public:
    TracePause();
    ~TracePause();
    TracePause(const TracePause&) = delete;
    TracePause& operator=(const TracePause&) = delete;

private:
    QueryTrace::Step* outer_;
};

class TraceStep {
public:
    explicit TraceStep(const char* name);
    // Adds the time since its construction, as `cost`.
    ~TraceStep();
    TraceStep(const TraceStep&) = delete;
    TraceStep& operator=(const TraceStep&) = delete;

    // Whether a trace records it.
    explicit operator bool() const { return step_ != nullptr; }
    void note(const char* field, int64_t value);
    void note(const char* field, std::string_view string);
    // A text shows the plan that the step is of instead.
    void setOfPlan() {
        if (step_) step_->isOfPlan = true;
    }

private:
    QueryTrace::Step* step_ = nullptr;
    QueryTrace::Step* outer_ = nullptr;
    std::chrono::steady_clock::time_point begin_;
};

// Returns a string as JSON.
std::string jsonString(std::string_view string);

// Records which partitions of the table the open step reads, of all that the snapshot has.
void tracePartitions(const PartitionedTable& table, const TableSnapshot& snapshot, const std::vector<size_t>& chosen);

}  // namespace pelorus
