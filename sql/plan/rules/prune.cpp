#include "sql/plan/rules/prune.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "common/error.h"
#include "runtime/partition/partition_function.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/value/cast.h"

namespace pelorus {

// Converts a strict bound of integers, days or the like to the next inclusive one.
static Value inclusive(const Value& bound, bool included, Type column, int step) {
    const bool isWhole = (isIntegral(column) || isTemporal(column)) && bound.isScalar() && bound.type() == column;
    if (included || !isWhole || bound.isNull()) return bound;
    int64_t next = 0;
    return __builtin_add_overflow(bound.integer(), step, &next) ? bound : Value::scalar(column, next);
}

namespace {

// Chosen partitions of one level; nothing when all are.
using LevelChoice = std::optional<std::vector<int>>;

void intersect(LevelChoice& choice, LevelChoice other) {
    if (!other) return;
    if (!choice) {
        choice = std::move(other);
        return;
    }
    std::vector<int> both;
    std::set_intersection(choice->begin(), choice->end(), other->begin(), other->end(), std::back_inserter(both));
    choice = std::move(both);
}

LevelChoice chosenBy(const PartitionLevel& level, const std::vector<Value>& keys) {
    std::vector<int> any;
    for (const Value& key : keys) {
        const LevelChoice one = level.partitionsBetween(key, key);
        if (!one) return std::nullopt;
        any.insert(any.end(), one->begin(), one->end());
    }
    std::sort(any.begin(), any.end());
    any.erase(std::unique(any.begin(), any.end()), any.end());
    return any;
}

// Returns the choice among a level's partitions that a condition on the column implies; the level places rows by the
// column or by a function of it.
LevelChoice chosenBy(const PartitionLevel& level, const PartitionFunction* function, const ColumnConstraint& c,
                     Type type) {
    if (function == nullptr) {
        if (!c.anyOf.empty()) return chosenBy(level, c.anyOf);
        return level.partitionsBetween(inclusive(c.low, c.lowIncluded, type, 1),
                                       inclusive(c.high, c.highIncluded, type, -1));
    }
    const auto keyOf = [&](const Value& item) {
        return item.isVoid() || item.isNull() ? Value() : function->keys(cast(item, type));
    };
    try {
        if (!c.anyOf.empty()) {
            std::vector<Value> keys;
            for (const Value& item : c.anyOf) keys.push_back(keyOf(item));
            return chosenBy(level, keys);
        }
        if (function->isMonotone(type)) return level.partitionsBetween(keyOf(c.low), keyOf(c.high));
    } catch (const UserError&) {
        // The function has no key for this constant: all partitions are checked.
    }
    return std::nullopt;
}

// Walks the partitions [begin, end), which agree in the levels before `level` and are in order.
class OrderedChoice {
public:
    OrderedChoice(const std::vector<PartitionEntry>& partitions, const std::vector<LevelChoice>& choices,
                  const std::vector<PartitionLevel>& levels)
        : partitions_(partitions), choices_(choices), levels_(levels) {
        while (chosenLevels_ < choices.size() &&
               std::any_of(choices.begin() + static_cast<std::ptrdiff_t>(chosenLevels_), choices.end(),
                           [](const auto& c) { return c.has_value(); }))
            ++chosenLevels_;
    }

    std::vector<size_t> find() {
        narrow(0, partitions_.size(), 0);
        return std::move(kept_);
    }

private:
    // Returns the first position in [begin, end) whose index of this level is at least `number`.
    size_t lowerBound(size_t begin, size_t end, size_t level, int number) const {
        const auto first = partitions_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = partitions_.begin() + static_cast<std::ptrdiff_t>(end);
        return static_cast<size_t>(
            std::lower_bound(first, last, number,
                             [level](const PartitionEntry& p, int n) { return p.index[level] < n; }) -
            partitions_.begin());
    }

    void narrow(size_t begin, size_t end, size_t level) {
        if (level >= chosenLevels_) {
            for (size_t p = begin; p < end; ++p) kept_.push_back(p);
            return;
        }
        if (choices_[level]) {
            for (const int number : *choices_[level]) {
                begin = lowerBound(begin, end, level, number);
                const size_t next = lowerBound(begin, end, level, number + 1);
                if (next > begin) narrow(begin, next, level + 1);
                begin = next;
            }
            // Partitions that are newer than the scheme of this handle may hold any values.
            begin = lowerBound(begin, end, level, levels_[level].count());
        }
        while (begin < end) {
            const size_t next = lowerBound(begin, end, level, partitions_[begin].index[level] + 1);
            narrow(begin, next, level + 1);
            begin = next;
        }
    }

    const std::vector<PartitionEntry>& partitions_;
    const std::vector<LevelChoice>& choices_;
    const std::vector<PartitionLevel>& levels_;
    size_t chosenLevels_ = 0;  // the levels after these restrict nothing
    std::vector<size_t> kept_;
};

bool isChosen(const PartitionEntry& partition, const std::vector<LevelChoice>& choices,
              const std::vector<PartitionLevel>& levels) {
    for (size_t l = 0; l < choices.size() && l < partition.index.size(); ++l) {
        const int number = partition.index[l];
        if (choices[l] && number < levels[l].count() &&
            !std::binary_search(choices[l]->begin(), choices[l]->end(), number))
            return false;
    }
    return true;
}

}  // namespace

std::vector<size_t> prunePartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                    const std::vector<ColumnConstraint>& constraints) {
    const auto& levels = table.scheme().levels();
    const auto& partitions = snapshot.partitions();
    std::vector<LevelChoice> choices(levels.size());
    for (size_t l = 0; l < levels.size(); ++l) {
        for (const ColumnConstraint& c : constraints) {
            const ColumnSchema& column = table.columns()[static_cast<size_t>(c.column)];
            if (column.name != table.partitionColumns()[l]) continue;
            intersect(choices[l], chosenBy(levels[l], table.partitionFunction(l), c, column.type));
        }
    }
    // In the order of the scheme, whichever nodes keep them: results are merged in this order on one node and on many.
    if (snapshot.isInSchemeOrder()) return OrderedChoice(partitions, choices, levels).find();
    std::vector<size_t> kept;
    for (size_t i = 0; i < partitions.size(); ++i) {
        if (isChosen(partitions[i], choices, levels)) kept.push_back(i);
    }
    std::sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return partitions[a].index < partitions[b].index; });
    return kept;
}

std::vector<size_t> partitionsToRead(const RowSource& source, const std::vector<ColumnConstraint>& constraints) {
    if (!source.partitioned()) return {0};
    std::vector<size_t> partitions = prunePartitions(*source.partitioned(), *source.snapshot, constraints);
    if (const auto& chosen = source.partitions) {
        std::erase_if(partitions,
                      [&](size_t p) { return std::find(chosen->begin(), chosen->end(), p) == chosen->end(); });
    }
    return partitions;
}

}  // namespace pelorus
