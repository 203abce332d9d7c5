#include "sql/operators/join/spilled_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/code/rewrite.h"
#include "runtime/memory/broker.h"
#include "runtime/table/column_lookup.h"
#include "sql/execution/query_profile.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/join/spilled_join.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/spill/sorted_runs.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

bool mayBeCut(const GraphTable& side, Context& context) {
    return canSpillSide(side.table, context) && SpilledParts::canHold(side.table.table().columns());
}

bool haveOneType(const JoinGraph& graph, const std::vector<GraphColumn>& equal) {
    const auto isColumn = [&](const GraphColumn& c) { return c.number < std::ssize(graph.side(c.side).columns); };
    if (!std::all_of(equal.begin(), equal.end(), isColumn)) return false;  // rows are cut as they are stored
    const auto typeOf = [&](const GraphColumn& c) {
        return graph.side(c.side).columns[static_cast<size_t>(c.number)].type;
    };
    const Type first = typeOf(equal[0]);
    return !isDecimal(first) &&
           std::all_of(equal.begin(), equal.end(), [&](const GraphColumn& c) { return typeOf(c) == first; });
}

// The rows of a side that is cut.
class CutSide {
public:
    CutSide(const JoinGraph& graph, const GraphTable& given, const GraphColumn& column, bool isNumbered,
            Context& context)
        : columns_(graph.side(column.side).columns),
          keys_(graph.keys(column.side)),
          needed_(neededOf(given, columns_, keys_)),
          isNumbered_(isNumbered),
          context_(context) {
        const RowSource source = sideToSpill(given.table, context);
        Filter filter(graph.filters(column.side), source.columns(), context);
        const std::string& name = columns_[static_cast<size_t>(column.number)].name;
        const std::vector<ExpressionProgram> keys{
            bindProgram(makeRef<Name>(name, SourcePosition{}), source.columns(), context)};
        parts_.emplace(*spillFolderOf(context), source.columns(), cutByKeys(keys), needed_, isNumbered,
                       morselsOf(source, filter.constraints()), filter, context);
    }

    // Returns the rows of a part with their columns at the places that they have in the side, numbers behind them.
    Ref<MemoryTable> rows(size_t part) const {
        const Ref<MemoryTable> read = parts_->rows(part);
        const Value nothing = filledColumn(Type::Bool, 0, read->rowCount());
        std::vector<Value> values(columns_.size(), nothing);
        for (size_t i = 0; i < needed_.size(); ++i)
            values[static_cast<size_t>(needed_[i])] = read->column(static_cast<int>(i));
        auto result = makeRef<MemoryTable>();
        for (size_t c = 0; c < columns_.size(); ++c) result->setColumn(columns_[c].name, values[c]);
        std::vector<Value> ofKeys;
        for (const GraphKey& key : keys_)
            ofKeys.push_back(bindProgram(key.code, columns_, context_).evaluate(context_, *result));
        for (size_t k = 0; k < keys_.size(); ++k) result->setColumn(keys_[k].column.name, ofKeys[k]);
        if (isNumbered_) result->setColumn(kSpilledRow, read->column(read->columnCount() - 1));
        return result;
    }

private:
    // The columns that somebody reads, and those that keys are computed of.
    static std::vector<int> neededOf(const GraphTable& given, const TableSchema& columns,
                                     const std::vector<GraphKey>& keys) {
        std::vector<int> needed = given.needed;
        for (const GraphKey& key : keys) {
            rewrite(key.code, [&](const NodeRef& node) -> NodeRef {
                if (node->kind != NodeKind::Name) return NodeRef();
                const int column = findColumn(columns, static_cast<const Name&>(*node).name);
                if (column >= 0) needed.push_back(column);
                return NodeRef();
            });
        }
        std::sort(needed.begin(), needed.end());
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        return needed;
    }

    const TableSchema& columns_;
    const std::vector<GraphKey>& keys_;
    const std::vector<int> needed_;
    const bool isNumbered_;
    Context& context_;
    std::optional<SpilledParts> parts_;
};

Ref<MemoryTable> withNumbers(const Ref<MemoryTable>& rows) {
    const Ref<Vector> numbers = Vector::make(Type::Long, rows->rowCount());
    std::iota(numbers->mutableData<int64_t>(), numbers->mutableData<int64_t>() + numbers->size(), int64_t{0});
    Ref<MemoryTable> result = rows->copy();
    result->setColumn(kSpilledRow, Value::of(numbers));
    return result;
}

}  // namespace

bool exceedsMemory(const std::vector<GraphTable>& sides) {
    // A side needs its own bytes, those of its columns in the result, and the keys and row numbers of a join.
    constexpr double kWithJoin = 3;
    const double whole =
        std::accumulate(sides.begin(), sides.end(), 0.0, [](double sum, const GraphTable& s) { return sum + s.bytes; });
    return kWithJoin * whole > static_cast<double>(memory::availableBytes());
}

std::optional<GraphCut> cutOfGraph(const JoinGraph& graph, const std::vector<GraphTable>& sides, Context& context) {
    if (!exceedsMemory(sides) || !spillFolderOf(context)) return {};
    std::optional<GraphCut> best;
    double most = 0;
    for (size_t e = 0; e < graph.equalities().size(); ++e) {
        const std::vector<GraphColumn>& equal = graph.equalities()[e];
        if (!haveOneType(graph, equal)) continue;
        GraphCut cut{e, std::vector<size_t>(sides.size(), GraphCut::kNotCut)};
        double covered = 0;
        for (size_t i = 0; i < equal.size(); ++i) {
            if (!mayBeCut(sides[equal[i].side], context)) continue;
            cut.columns[equal[i].side] = i;
            covered += sides[equal[i].side].bytes;
        }
        if (covered <= most) continue;
        most = covered;
        best = std::move(cut);
    }
    return best;
}

Ref<MemoryTable> joinGraphInParts(const JoinGraph& graph, const std::vector<GraphTable>& sides, const GraphCut& cut,
                                  std::vector<Ref<MemoryTable>> rows, std::vector<ShownColumn> shown, bool isOrdered,
                                  const std::function<std::vector<size_t>(const std::vector<Ref<MemoryTable>>&)>& order,
                                  Context& context) {
    TraceStep step("join");
    const std::vector<GraphColumn>& equal = graph.equalities()[cut.equality];
    std::vector<std::unique_ptr<CutSide>> cutSides(sides.size());
    for (size_t side = 0; side < sides.size(); ++side) {
        if (cut.columns[side] != GraphCut::kNotCut) {
            cutSides[side] =
                std::make_unique<CutSide>(graph, sides[side], equal[cut.columns[side]], isOrdered, context);
        } else if (isOrdered) {
            rows[side] = withNumbers(rows[side]);
        }
        if (!isOrdered) continue;
        const auto number = static_cast<int>(graph.columnsWithKeys(side).size());
        shown.push_back({{side, number}, fmt::format("{} {}", kSpilledRow, side)});
    }
    SortedRuns runs(*spillFolderOf(context), std::vector<OrderKey>(isOrdered ? sides.size() : 0));
    Ref<MemoryTable> result;
    for (size_t part = 0; part < SpilledParts::kCount; ++part) {
        context.checkCancelled();
        for (size_t side = 0; side < sides.size(); ++side) {
            if (cutSides[side]) rows[side] = cutSides[side]->rows(part);
        }
        GraphJoin join(graph, rows, context);
        for (const size_t side : order(rows)) join.join(side);
        const bool isFirst = isOrdered ? runs.isEmpty() : !result;
        if (join.rowCount() == 0 && (!isFirst || part + 1 < SpilledParts::kCount)) continue;
        if (isOrdered) join.sort();
        const Ref<MemoryTable> joined = materialise(Value::of(Ref<Table>(join.finish(shown))), context);
        if (isOrdered) {
            if (!runs.canHold(*joined)) return {};
            runs.add(*joined);
        } else if (result) {
            result->append(*joined);
        } else {
            result = joined->copy();
        }
    }
    if (step) step.note("parts", static_cast<int64_t>(SpilledParts::kCount));
    return isOrdered ? runs.merged() : result;
}

}  // namespace pelorus
