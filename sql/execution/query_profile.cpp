#include "sql/execution/query_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/table/table.h"

namespace pelorus {

namespace {

thread_local QueryTrace::Step* openStep = nullptr;

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
    if (!step.plans.empty()) {
        key("plan");
        if (step.plans.size() > 1) out += "[";
        for (size_t p = 0; p < step.plans.size(); ++p) out += (p > 0 ? ", " : "") + step.plans[p]->json(inner);
        if (step.plans.size() > 1) out += "]";
    }
    out += first ? "}" : fmt::format("\n{}}}", indent);
}

// Returns a field of a step, as it was noted; nothing where it has none.
std::string fieldOf(const QueryTrace::Step& step, std::string_view name) {
    for (const auto& [field, value] : step.fields) {
        if (field != name) continue;
        const nlohmann::json json = nlohmann::json::parse(value);
        return json.is_string() ? json.get<std::string>() : json.dump();
    }
    return "";
}

// Returns the first line of a step: "join: t.sym == names.sym (2 rows, 0.12 ms)".
std::string titleOf(const QueryTrace::Step& step) {
    const std::string sql = fieldOf(step, "sql");
    std::string title = step.name == "detail" ? "query inside:" : step.name;
    if (step.name == "explain") title = sql.empty() ? "query" : "";
    for (const char* field : {"name", "sql", "right", "on"}) {
        if (const std::string what = fieldOf(step, field); !what.empty())
            title += (title.empty() ? "" : std::string_view(field) == "on" ? " on " : " ") + what;
    }
    const std::string rows = fieldOf(step, "rows"), cost = fieldOf(step, "cost");
    std::string figures = rows.empty() ? "" : rows + (rows == "1" ? " row" : " rows");
    if (!cost.empty()) figures += fmt::format("{}{:.2f} ms", figures.empty() ? "" : ", ", std::stod(cost) / 1000);
    return figures.empty() ? title : title + " (" + figures + ")";
}

void writeText(const QueryTrace::Step& step, int depth, std::string& out) {
    for (const auto& plan : step.plans) out += plan->text(depth);
    for (const auto& below : step.steps) {
        if (below->isOfPlan) continue;
        const bool isShown = below->name != "from";
        if (isShown) out += std::string(static_cast<size_t>(depth) * 2, ' ') + titleOf(*below) + "\n";
        writeText(*below, isShown ? depth + 1 : depth, out);
    }
}

}  // namespace

std::string jsonString(std::string_view string) {
    return nlohmann::json(std::string(string)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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

std::string QueryTrace::text() const {
    const Step& whole = root_.steps.size() == 1 ? *root_.steps[0] : root_;
    std::string out = titleOf(whole) + "\n";
    writeText(whole, 1, out);
    out.pop_back();
    return out;
}

void QueryTrace::addPlan(std::shared_ptr<const TracedPlan> plan) {
    openStep->plans.push_back(std::move(plan));
}

void QueryTrace::addStep(const char* name, const std::vector<std::pair<const char*, int64_t>>& fields) {
    auto step = std::make_unique<Step>();
    step->name = name;
    step->isOfPlan = true;
    for (const auto& [field, value] : fields) step->fields.emplace_back(field, std::to_string(value));
    openStep->steps.push_back(std::move(step));
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
    step->isOfPlan = true;
    const auto add = [&](const char* field, size_t value) { step->fields.emplace_back(field, std::to_string(value)); };
    add("local", static_cast<size_t>(local));
    add("remote", chosen.size() - static_cast<size_t>(local));
    add("pruned", all.size() - chosen.size());
    step->fields.emplace_back("table", name);
    openStep->steps.push_back(std::move(step));
}

}  // namespace pelorus
