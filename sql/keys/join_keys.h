// Common first step of all joins: numbers for the keys of both sides, and the rows of each number.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/raw_vector.h"
#include "runtime/table/table.h"

namespace pelorus {

using RowNumbers = RawVector<int32_t>;

struct JoinColumns {
    std::vector<std::string> left, right;  // key columns, pairwise
};

const Value& keyColumn(const MemoryTable& table, const std::string& name, const char* side);

// Converts both sides of a key to one type, so that equal values get equal numbers. Throws UserError for types that
// can't be compared.
std::pair<Value, Value> comparable(const Value& a, const Value& b, const std::string& name);

// Rows with equal keys have equal numbers below `groups`, on both sides; -1 where a key is NULL.
struct NumberedKeys {
    RowNumbers left, right;
    int64_t groups = 0;
};
NumberedKeys numberKeys(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, size_t keyCount);

// Rows of each group in order: rows[begin[g] … begin[g + 1]).
struct GroupRows {
    std::vector<int32_t> begin, rows;
};
GroupRows rowsByGroup(const RowNumbers& groups, int64_t groupCount);
// Returns the right rows of each group in the order of their times, NULL first, and those of one time in table order.
GroupRows rowsByGroupInOrder(const NumberedKeys& numbers, const Vector& rightTimes);

// Returns the last key of an as-of or window join as LONG, NULL where it is. Throws UserError for types without
// distances.
Ref<Vector> orderedKey(const Value& column);
// Converts the keys of both sides, of one type, to numbers; they order alike for UUID, IPADDR and INT128.
std::pair<Ref<Vector>, Ref<Vector>> orderedKeys(const Value& left, const Value& right);
// Whether no element is below its predecessor.
bool isAscending(const Vector& longs);

}  // namespace pelorus
