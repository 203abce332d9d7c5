#include "sql/physical/executed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include "runtime/format/to_source.h"
#include "sql/execution/partition_advice.h"
#include "sql/execution/query_profile.h"
#include "sql/operators/scan/filter.h"
#include "sql/plan/estimate.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/index_text.h"
#include "sql/plan/node_text.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/rules/prune.h"

namespace pelorus {

namespace {

using Kind = PlanNode::Kind;

int64_t micros(int64_t nanos) {
    return nanos / 1000;
}

std::string rowsText(int64_t rows) {
    return withCommas(rows) + (rows == 1 ? " row" : " rows");
}

std::string bytesText(int64_t bytes) {
    if (bytes >= 10'000'000) return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
    if (bytes >= 10'000) return fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
    return withCommas(bytes) + " B";
}

// What a scan reads, as far as that is known before it runs.
struct ScanFacts {
    std::string table;
    size_t partitions = 0, read = 0;   // of a partitioned table
    std::optional<double> storedRows;  // of the partitions that are read; nothing where other nodes keep some
    bool isRemote = false;
    std::string index;  // how an index finds the rows that are read; empty: all are read
};

ScanFacts factsOf(const ScanNode& scan, const Query& query, const std::vector<size_t>& chosen) {
    const RowSource& source = scan.source;
    ScanFacts facts{source.sides.empty() && query.joins.empty() ? "rows" : "joined rows"};
    const bool isNamed = query.joins.empty() && query.table && query.table->kind == NodeKind::Name;
    if (isNamed) facts.table = static_cast<const Name&>(*query.table).name;
    const PartitionedTable* table = source.partitioned();
    if (!table) {
        facts.storedRows = static_cast<double>(source.table->rowCount());
        return facts;
    }
    if (!table->databasePath().empty()) facts.table = table->databasePath() + "/" + table->name;
    const std::vector<PartitionEntry>& all = source.snapshot->partitions();
    facts.partitions = all.size();
    facts.read = chosen.size();
    facts.isRemote = std::any_of(chosen.begin(), chosen.end(), [&](size_t p) { return !all[p].node.empty(); });
    if (facts.isRemote) return facts;
    double rows = 0;
    for (const size_t p : chosen) rows += static_cast<double>(source.snapshot->open(p)->rowCount());
    facts.storedRows = rows;
    return facts;
}

class ExecutedPlan final : public TracedPlan {
public:
    ExecutedPlan(PlanRef plan, PlanProfile profile, ScanFacts facts)
        : plan_(std::move(plan)), profile_(std::move(profile)), facts_(std::move(facts)) {
        if (!scanOf(*plan_)) facts_.storedRows = 0;
        if (facts_.storedRows) estimates_ = estimatedRows(*plan_, *facts_.storedRows);
    }

    const PlanNode& plan() const { return *plan_; }
    PlanProfile& profile() { return profile_; }
    const PlanProfile& profile() const { return profile_; }
    const ScanFacts& facts() const { return facts_; }

    std::string text(int depth) const override {
        std::string out;
        write(*plan_, depth, out);
        return out;
    }
    std::string json(const std::string& indent) const override { return json(*plan_, indent); }

private:
    std::optional<int64_t> estimate(const PlanNode& node) const {
        const auto id = static_cast<size_t>(node.id);
        if (id >= estimates_.size()) return std::nullopt;
        return static_cast<int64_t>(std::llround(estimates_[id]));
    }

    static void line(int depth, const std::string& text, std::string& out) {
        out += std::string(static_cast<size_t>(depth) * 2, ' ') + text + "\n";
    }

    // "12 rows of about 30, 0.41 ms"
    std::string rowsAndTime(const PlanNode& node, int64_t rows, int64_t nanos) const {
        const std::optional<int64_t> expected = estimate(node);
        return rowsText(rows) + (expected ? " of about " + withCommas(*expected) : "") +
               fmt::format(", {:.2f} ms", static_cast<double>(nanos) / 1e6);
    }

    void write(const PlanNode& node, int depth, std::string& out) const {
        if (node.kind == Kind::Scan) return writeScan(static_cast<const ScanNode&>(node), depth, out);
        if (isShown(node)) {
            const NodeProfile& own = profile_.of(node.id);
            std::istringstream lines(nodeText(node));
            std::string first, more;
            std::getline(lines, first);
            // A node within another one, which ran them together, was not measured.
            if (own.runs > 0) {
                first += " (" + rowsAndTime(node, own.rows, own.nanos);
                if (own.runs > 1) first += fmt::format(", {} runs", withCommas(own.runs));
                if (own.spilledBytes > 0) first += ", " + bytesText(own.spilledBytes) + " spilled";
                first += ")";
            }
            line(depth, first, out);
            while (std::getline(lines, more)) line(depth, more, out);
            ++depth;
        }
        if (node.input) write(*node.input, depth, out);
    }

    std::string scanText() const { return (facts_.index.empty() ? "scan " : facts_.index + " on ") + facts_.table; }

    void writeScan(const ScanNode& scan, int depth, std::string& out) const {
        const ScanProfile& own = *profile_.scan();
        std::string figures = facts_.isRemote ? "" : rowsText(own.readRows) + " read";
        const auto add = [&](const std::string& what) { figures += (figures.empty() ? "" : ", ") + what; };
        if (facts_.partitions > 0)
            add(fmt::format("{} of {} partitions", withCommas(static_cast<int64_t>(facts_.read)),
                            withCommas(static_cast<int64_t>(facts_.partitions))));
        if (const int64_t blocks = own.blocks + own.skippedBlocks; blocks > 0)
            add(fmt::format("{} of {} blocks, {}", withCommas(own.blocks), withCommas(blocks),
                            bytesText(own.readBytes)));
        if (!scan.conditions.empty()) {
            std::vector<std::string> conditions;
            for (const NodeRef& condition : scan.conditions) conditions.push_back(toSource(*condition));
            const std::string passed = facts_.isRemote ? "" : " (" + rowsAndTime(scan, own.passedRows, own.nanos) + ")";
            line(depth++, "where " + listed(conditions) + passed, out);
        } else if (!facts_.isRemote) {
            add(fmt::format("{:.2f} ms", static_cast<double>(own.nanos.load()) / 1e6));
        }
        line(depth, scanText() + " (" + figures + ")", out);
    }

    std::string json(const PlanNode& node, const std::string& indent) const {
        const std::string inner = indent + "  ";
        std::string out = "{";
        const auto add = [&](const char* name, const std::string& value) {
            out += fmt::format("{}\n{}\"{}\": {}", out == "{" ? "" : ",", inner, name, value);
        };
        const auto number = [&](const char* name, int64_t value) { add(name, std::to_string(value)); };
        const bool isScan = node.kind == Kind::Scan;
        add("operator", jsonString(isScan ? scanText() : nodeText(node)));
        if (const auto expected = estimate(node)) number("estimatedRows", *expected);
        if (isScan) {
            addScan(static_cast<const ScanNode&>(node), add, number);
        } else if (const NodeProfile& own = profile_.of(node.id); own.runs > 0) {
            number("rows", own.rows);
            number("cost", micros(own.nanos));
            number("spilledBytes", own.spilledBytes);
        }
        if (node.input) add("input", json(*node.input, inner));
        return out + "\n" + indent + "}";
    }

    template <class Add, class Number>
    void addScan(const ScanNode& scan, const Add& add, const Number& number) const {
        const ScanProfile& own = *profile_.scan();
        if (!scan.conditions.empty()) {
            std::vector<std::string> conditions;
            for (const NodeRef& condition : scan.conditions) conditions.push_back(toSource(*condition));
            add("where", jsonString(listed(conditions)));
        }
        if (facts_.partitions > 0) {
            number("partitions", static_cast<int64_t>(facts_.read));
            number("prunedPartitions", static_cast<int64_t>(facts_.partitions - facts_.read));
        }
        if (facts_.isRemote) return;
        number("rows", own.passedRows);
        number("cost", micros(own.nanos));
        number("readRows", own.readRows);
        number("blocks", own.blocks);
        number("prunedBlocks", own.skippedBlocks);
        number("readBytes", own.readBytes);
    }

    PlanRef plan_;
    PlanProfile profile_;
    ScanFacts facts_;
    std::vector<double> estimates_;
};

const char* stepName(const PlanNode& node) {
    switch (node.kind) {
        case Kind::Aggregate:
            return static_cast<const AggregateNode&>(node).keys.empty() ? "select" : "groupBy";
        case Kind::Phases:
            return stepName(*static_cast<const PhasesNode&>(node).whole);
        case Kind::WholeGroups:
        case Kind::Interval:
            return "groupBy";
        case Kind::Window:
        case Kind::Roll:
            return "contextBy";
        case Kind::Pivot:
            return "pivotBy";
        case Kind::Cumulative:
        case Kind::CumulativeRows:
            return "cgroupBy";
        case Kind::Distinct:
            return "distinct";
        default:
            return "select";
    }
}

// Traces the partitions that a plan reads. Returns what is known of its scan.
ScanFacts traceSource(const ScanNode& scan, const Query& query, Context& context) {
    const RowSource& source = scan.source;
    const PartitionedTable* table = source.partitioned();
    if (!table) return factsOf(scan, query, {});
    TraceStep map("map");
    map.setOfPlan();
    const std::vector<ColumnConstraint> constraints = Filter(scan.conditions, source.columns(), context).constraints();
    const std::vector<size_t> chosen = prunePartitions(*table, *source.snapshot, constraints);
    tracePartitions(*table, *source.snapshot, chosen);
    if (const std::string advice = partitionAdvice(*table, *source.snapshot, chosen); !advice.empty())
        map.note("advice", advice);
    ScanFacts facts = factsOf(scan, query, chosen);
    facts.index = indexText(*source.snapshot, source.columns(), constraints);
    return facts;
}

// Adds the step of the conditions: how many rows satisfy them, as far as rows were read.
void traceWhere(const ExecutedPlan& executed) {
    const ScanNode* scan = scanOf(executed.plan());
    if (!scan || executed.facts().isRemote) return;
    const ScanProfile& measured = *executed.profile().scan();
    int64_t rows = scan->conditions.empty() ? -1 : measured.passedRows.load();
    for (const PlanNode* node = &executed.plan(); node; node = node->input.get()) {
        if (node->kind == Kind::Filter) rows = executed.profile().of(node->id).rows;
    }
    if (rows >= 0) QueryTrace::addStep("where", {{"rows", rows}, {"cost", micros(measured.nanos)}});
}

// Adds the steps of the nodes: what computes the rows, and a sort of them. Steps of a node that itself runs queries are
// those queries' steps.
void traceNodes(const ExecutedPlan& executed) {
    const PlanNode* node = &executed.plan();
    const NodeProfile* sort = nullptr;
    const auto isAbove = [](const PlanNode& n) {
        return n.kind == Kind::Limit || n.kind == Kind::Sort ||
               (n.kind == Kind::Distinct && n.input->kind != Kind::Project) ||
               (n.kind == Kind::Over && n.input->kind == Kind::Limit);  // of groups
    };
    for (; isAbove(*node); node = node->input.get()) {
        if (node->kind == Kind::Sort) sort = &executed.profile().of(node->id);
    }
    const bool runsQueries = node->kind == Kind::PerPartition || node->kind == Kind::Over;
    const NodeProfile& own = executed.profile().of(node->id);
    if (!runsQueries) QueryTrace::addStep(stepName(*node), {{"rows", own.rows}, {"cost", micros(own.totalNanos)}});
    if (sort) QueryTrace::addStep("sort", {{"cost", micros(sort->nanos)}});
}

}  // namespace

SelectedRows runTraced(PlanRef plan, const Query& query, Context& context) {
    const int nodes = numberNodes(*plan);
    std::shared_ptr<ScanProfile> measured;
    ScanFacts facts;
    if (ScanNode* scan = scanOf(*plan)) {
        measured = scan->source.profile = std::make_shared<ScanProfile>();
        facts = traceSource(*scan, query, context);
    }
    const auto executed = std::make_shared<ExecutedPlan>(
        std::move(plan), PlanProfile(static_cast<size_t>(nodes), std::move(measured)), std::move(facts));
    QueryTrace::addPlan(executed);
    PlanInput input;
    input.profile = &executed->profile();
    SelectedRows selected = runPipelines(executed->plan(), context, input);
    traceWhere(*executed);
    traceNodes(*executed);
    return selected;
}

}  // namespace pelorus
