// RowsOutsideScheme is the error of an append that stores all rows or none, and was given rows that no partition takes.
#pragma once

#include <string>

#include "common/error.h"

namespace pelorus {

class RowsOutsideScheme final : public SystemError {
public:
    // `first`: the first such row, as "row 12: date=2020.01.01".
    RowsOutsideScheme(int64_t count, const std::string& table, const std::string& first)
        : SystemError(std::to_string(count) + " rows of " + table + " have no partition, the first is " + first +
                          ". Nothing was written.",
                      "Their partitions were dropped meanwhile: try again.", true),
          count_(count),
          first_(first) {}

    int64_t count() const { return count_; }
    const std::string& first() const { return first_; }

private:
    int64_t count_;
    std::string first_;
};

}  // namespace pelorus
