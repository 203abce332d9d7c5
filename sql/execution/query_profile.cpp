#include "sql/execution/query_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/table/table.h"

namespace pelorus {

namespace {

thread_local QueryTrace::Step* openStep = nullptr;

std::string jsonString(std::string_view string) {
    return nlohmann::json(std::string(string)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write(const QueryTrace::Step& step, const std::string& indent, std::string& out) {
    const std::string inner = indent + "  ";
    out += "{";
    bool first = true;
    const auto key = [&](const std::string& name) {
        out += fmt::format("{}\n{}\"{}\": ", first ? "" : ",", inner, name);
        first = false;
    };
    // Several steps of one name become a list, at the place of the first of them.
    for (size_t i = 0; i < step.steps.size(); ++i) {
        const std::string& name = step.steps[i]->name;
        const auto isSame = [&](const auto& other) { return other->name == name; };
        const auto begin = step.steps.begin();
        if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(i), isSame)) continue;
        key(name);
        const bool isList = std::count_if(begin, step.steps.end(), isSame) > 1;
        if (isList) out += "[";
        bool firstItem = true;
        for (size_t k = i; k < step.steps.size(); ++k) {
            if (!isSame(step.steps[k])) continue;
            if (!firstItem) out += ", ";
            firstItem = false;
            write(*step.steps[k], inner, out);
        }
        if (isList) out += "]";
    }
    for (const auto& [name, value] : step.fields) {
        key(name);
        out += value;
    }
    out += first ? "}" : fmt::format("\n{}}}", indent);
}

}  // namespace

QueryTrace::QueryTrace() : outer_(std::exchange(openStep, &root_)) {
    root_.name = "explain";
}
QueryTrace::~QueryTrace() {
    openStep = outer_;
}
bool QueryTrace::isOn() {
    return openStep != nullptr;
}

std::string QueryTrace::json() const {
    std::string out = "{\n  \"measurement\": \"microsecond\",\n  \"explain\": ";
    // The query itself is the only step of the root.
    write(root_.steps.size() == 1 ? *root_.steps[0] : root_, "  ", out);
    return out + "\n}";
}

TracePause::TracePause() : outer_(std::exchange(openStep, nullptr)) {}
TracePause::~TracePause() {
    openStep = outer_;
}

TraceStep::TraceStep(const char* name) : outer_(openStep) {
    if (outer_ == nullptr) return;
    outer_->steps.push_back(std::make_unique<QueryTrace::Step>());
    step_ = outer_->steps.back().get();
    step_->name = name;
    openStep = step_;
    begin_ = std::chrono::steady_clock::now();
}

TraceStep::~TraceStep() {
    if (step_ == nullptr) return;
    openStep = outer_;
    const auto cost = std::chrono::steady_clock::now() - begin_;
    note("cost", std::chrono::duration_cast<std::chrono::microseconds>(cost).count());
}

void TraceStep::note(const char* field, int64_t value) {
    if (step_) step_->fields.emplace_back(field, std::to_string(value));
}
void TraceStep::note(const char* field, std::string_view string) {
    if (step_) step_->fields.emplace_back(field, jsonString(string));
}

void tracePartitions(const PartitionedTable& table, const TableSnapshot& snapshot, const std::vector<size_t>& chosen) {
    if (openStep == nullptr) return;
    const std::string name =
        jsonString(table.databasePath().empty() ? table.name : table.databasePath() + "/" + table.name);
    for (const auto& step : openStep->steps) {
        if (step->name == "partitions" && step->fields.back().second == name) return;
    }
    const auto& all = snapshot.partitions();
    const auto local = std::count_if(chosen.begin(), chosen.end(), [&](size_t p) { return all[p].node.empty(); });
    auto step = std::make_unique<QueryTrace::Step>();
    step->name = "partitions";
    const auto add = [&](const char* field, size_t value) { step->fields.emplace_back(field, std::to_string(value)); };
    add("local", static_cast<size_t>(local));
    add("remote", chosen.size() - static_cast<size_t>(local));
    add("pruned", all.size() - chosen.size());
    step->fields.emplace_back("table", name);
    openStep->steps.push_back(std::move(step));
}

}  // namespace pelorus
