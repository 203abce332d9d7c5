// Rows cut into parts that share no group, with the rows of a group one after the other: how windows and `context by`
// read a table. No step costs more for many groups than for few.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"
#include "sql/keys/key_ranges.h"

namespace pelorus {

// Places of the rows of a table after they were cut by keys and, part by part, grouped and sorted. A column comes to
// the groups in two steps, each within a cache: cut() moves it into the parts, inGroups() orders one of these.
//
// The parts depend on keys and their number alone, a group's rows on the group. Immutable; threads share it.
class PartedRows {
public:
    // Which group comes before which: none is wanted, or that of ascending keys over all parts.
    enum class GroupOrder : uint8_t { Any, ByKey };
    // The rows of a part, which are neighbours among the cut ones.
    struct Part {
        int32_t begin = 0;
        // Positions in the part of its rows group by group, each in order; empty where they lie so already.
        std::vector<int32_t> order;
        std::vector<int32_t> groupBegin;  // where groups begin, and the end of the last
        int32_t rows() const { return groupBegin.back(); }
    };

    // Cuts rows by `keys`, vectors of that many elements or scalars, all of one group where there are none. Rows with
    // equal keys are sorted by `order`, equal ones by their position.
    PartedRows(std::span<const Value> keys, std::span<const OrderKey> order, int64_t rows, GroupOrder groups);

    int64_t rows() const { return rows_; }
    size_t partCount() const { return parts_.size(); }
    const Part& part(size_t i) const { return parts_[i]; }

    // Moves a column of the table into the parts; scalars stay as they are.
    Value cut(const Value& column) const;
    // Returns the elements of a part's rows, group by group, of a column that was cut.
    Value inGroups(size_t part, const Value& cutColumn) const;
    // Returns a column of the table group by group, part after part.
    Value inGroups(const Value& column) const;

    // Returns the values of rows, given for each part group by group, in the order of the table. Takes the vectors
    // from `parts`. REQUIRES: areMovable(parts).
    Value inTable(std::vector<Value>& parts) const;
    // Whether all are vectors of one type whose elements have a fixed width.
    static bool areMovable(std::span<const Value> parts);
    // Returns for each row of the table its position among the rows group by group, part after part.
    std::vector<int32_t> places() const;
    // Returns the rows of the table group by group, part after part.
    std::vector<int32_t> list() const;
    // Returns where groups begin in that list, and the end of the last.
    std::vector<int32_t> groupBegin() const;
    // Whether the table's rows lie group by group, and in order.
    bool isInPlace() const;

private:
    void cutByPart(const std::function<void(int64_t begin, int64_t end, uint8_t* parts)>& find);
    bool cutByGroup(std::span<const Value> keys);
    void cutBetweenKeys(const Vector& key);
    void buildParts(std::span<const Value> keys, std::span<const OrderKey> order, bool areSamples, GroupOrder groups);

    int64_t rows_;
    std::vector<Part> parts_;
    Ref<Vector> cutPlaces_;  // INT: where a row of the table stands among the cut ones; null where all stay
};

}  // namespace pelorus
