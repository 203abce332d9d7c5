#include "sql/operators/window/windows_in_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/index/index.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/row_concatenation.h"
#include "sql/spill/placed_rows.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

// The rows of a part, and the number of each in the order of the input.
struct Part {
    Ref<MemoryTable> rows;
    Value numbers;
};

// Calls take(part, result, sources) with what each part gives, as long as it returns true. Returns whether it always
// did.
template <class Take>
bool forEachPart(const SpilledParts& parts, const GroupsOfPart& compute, Context& context, const Take& take) {
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        Part part{parts.rows(p), Value()};
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (part.rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || parts.rowCount() > 0)) continue;
        const int last = part.rows->columnCount() - 1;
        part.numbers = part.rows->column(last);
        part.rows->dropColumn(last);
        std::vector<int32_t> sources;
        const Ref<MemoryTable> result = compute(part.rows, sources);
        CHECK(std::ssize(sources) == result->rowCount()) << "each row of a result has a source";
        if (!take(part, result, sources)) return false;
    }
    return true;
}

// The parts are ranges of the keys, which follow each other.
Ref<MemoryTable> concatenated(const SpilledParts& parts, const GroupsOfPart& compute, Context& context) {
    RowConcatenation all;
    forEachPart(parts, compute, context, [&](const Part&, const Ref<MemoryTable>& result, const auto&) {
        all.add(*result);
        return true;
    });
    return all.finish();
}

Ref<MemoryTable> placed(const SpilledParts& parts, const GroupsOfPart& compute, Context& context) {
    PlacedRows all(parts.rowCount());
    const bool arePlaced = forEachPart(
        parts, compute, context, [&](const Part& part, const Ref<MemoryTable>& result, const auto& sources) {
            return all.add(*result, gatherElements(part.numbers, sources.data(), std::ssize(sources)));
        });
    return arePlaced ? all.finish() : nullptr;
}

// Evaluates a key of the source over a part, which has these columns of it.
Value keyOfPart(const ExpressionProgram& key, const std::vector<int>& columns, const MemoryTable& part,
                Context& context) {
    std::vector<Value> values;
    for (const int c : key.columns()) {
        const auto place = std::lower_bound(columns.begin(), columns.end(), c) - columns.begin();
        values.push_back(part.column(static_cast<int>(place)));
    }
    return key.evaluate(context, values, part.rowCount());
}

// Makes the result of each part a run in the order of `tags(part)`, columns with a value for each row of the part.
template <class Tags>
Ref<MemoryTable> merged(const SpilledParts& parts, size_t tagCount, const Tags& tags, const GroupsOfPart& compute,
                        Context& context) {
    SortedRuns runs(*spillFolderOf(context), std::vector<OrderKey>(tagCount));
    const auto take = [&](const Part& part, const Ref<MemoryTable>& result, const auto& sources) {
        for (const Value& tag : tags(part)) {
            const std::string name = fmt::format(" tag{}", result->columnCount());
            result->setColumn(name, gatherElements(tag, sources.data(), std::ssize(sources)));
        }
        if (!runs.canHold(*result)) return false;
        runs.add(*result);
        return true;
    };
    return forEachPart(parts, compute, context, take) ? runs.merged() : nullptr;
}

}  // namespace

bool areKeysOfParts(const std::vector<ExpressionProgram>& keys) {
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), [](const ExpressionProgram& key) {
        return key.isElementwise() && !key.isConstant();
    });
}

Ref<MemoryTable> computedInParts(SpillableSource& source, const std::vector<ExpressionProgram>& keys,
                                 const std::vector<int>& columns, PartsOrder order, const GroupsOfPart& compute,
                                 Context& context) {
    CHECK(areKeysOfParts(keys)) << "rows can be cut by their keys";
    if (order == PartsOrder::Keys) {
        if (const auto ranges = source.ranges(keys))
            return concatenated(source.parts(cutByRanges(keys, *ranges), columns), compute, context);
    }
    const SpilledParts parts = source.parts(cutByKeys(keys), columns);
    if (order == PartsOrder::EachRow) return placed(parts, compute, context);
    if (order == PartsOrder::Rows) {
        const auto numbers = [](const Part& part) { return std::vector<Value>{part.numbers}; };
        return merged(parts, 1, numbers, compute, context);
    }
    const auto values = [&](const Part& part) {
        std::vector<Value> tags;
        for (const ExpressionProgram& key : keys) tags.push_back(keyOfPart(key, columns, *part.rows, context));
        return tags;
    };
    return merged(parts, keys.size(), values, compute, context);
}

}  // namespace pelorus
