#include "sql/plan/estimate.h"

#include <algorithm>

#include "runtime/code/name_uses.h"
#include "sql/plan/group_nodes.h"

namespace pelorus {

namespace {

constexpr double kEqual = 0.1, kCompared = 1.0 / 3, kOther = 0.25;
constexpr double kGroups = 0.1;

double binaryShare(const Binary& condition) {
    const auto left = [&] { return estimatedShare(*condition.left); };
    const auto right = [&] { return estimatedShare(*condition.right); };
    switch (condition.op) {
        case Operator::And:
            return left() * right();
        case Operator::Or:
        case Operator::OrIgnoringNull:
            return left() + right() - left() * right();
        case Operator::Eq:
            return kEqual;
        case Operator::Ne:
            return 1 - kEqual;
        case Operator::Lt:
        case Operator::Le:
        case Operator::Gt:
        case Operator::Ge:
            return kCompared;
        default:
            return kOther;
    }
}

// Returns how many rows a node gives of those of its input.
double rowsOf(const PlanNode& plan, double input) {
    using Kind = PlanNode::Kind;
    const auto groups = [&](bool hasKeys) { return hasKeys ? std::min(input, std::max(1.0, input * kGroups)) : 1.0; };
    const auto atMost = [&](int64_t count) { return std::min(input, static_cast<double>(count)); };
    switch (plan.kind) {
        case Kind::Constants:
            return 1;
        case Kind::Filter:
            for (const ExpressionProgram& condition : static_cast<const FilterNode&>(plan).conditions)
                input *= estimatedShare(*condition.code());
            return input;
        case Kind::Project:
            return atMost(static_cast<const ProjectNode&>(plan).needed);
        case Kind::TopRows:
            return atMost(static_cast<const TopRowsNode&>(plan).count);
        case Kind::Limit:
            return std::min(std::max(0.0, input - static_cast<double>(static_cast<const LimitNode&>(plan).begin)),
                            static_cast<double>(static_cast<const LimitNode&>(plan).count));
        case Kind::Collect:
            return static_cast<const CollectNode&>(plan).isOneCell ? 1 : input;
        case Kind::Aggregate:
            return groups(!static_cast<const AggregateNode&>(plan).keys.empty());
        case Kind::WholeGroups:
        case Kind::Interval:
        case Kind::Cumulative:
        case Kind::CumulativeRows:
        case Kind::Pivot:
        case Kind::Phases:
        case Kind::Distinct:
            return groups(true);
        default:
            return input;
    }
}

// Whether a condition is about columns of the partitions alone: it has chosen those that are read.
bool choosesPartitions(const Node& condition, const RowSource& source) {
    const PartitionedTable* table = source.partitioned();
    if (!table) return false;
    const std::vector<std::string>& keys = table->partitionColumns();
    bool isOnly = true;
    forEachName(condition, [&](const Name& name) {
        isOnly = isOnly && (std::ranges::find(keys, name.name) != keys.end() || table->findColumn(name.name) < 0);
    });
    return isOnly;
}

double estimate(const PlanNode& plan, double scannedRows, std::vector<double>& rows) {
    double own = scannedRows;
    if (plan.kind == PlanNode::Kind::Scan) {
        const auto& scan = static_cast<const ScanNode&>(plan);
        for (const NodeRef& condition : scan.conditions) {
            if (!choosesPartitions(*condition, scan.source)) own *= estimatedShare(*condition);
        }
    } else {
        own = rowsOf(plan, plan.input ? estimate(*plan.input, scannedRows, rows) : 1);
    }
    if (rows.size() <= static_cast<size_t>(plan.id)) rows.resize(static_cast<size_t>(plan.id) + 1);
    return rows[static_cast<size_t>(plan.id)] = own;
}

}  // namespace

double estimatedShare(const Node& condition) {
    if (condition.kind == NodeKind::Unary) {
        const auto& unary = static_cast<const Unary&>(condition);
        return unary.op == Operator::Not ? 1 - estimatedShare(*unary.operand) : kOther;
    }
    return condition.kind == NodeKind::Binary ? binaryShare(static_cast<const Binary&>(condition)) : kOther;
}

std::vector<double> estimatedRows(const PlanNode& plan, double scannedRows) {
    std::vector<double> rows;
    estimate(plan, scannedRows, rows);
    return rows;
}

}  // namespace pelorus
