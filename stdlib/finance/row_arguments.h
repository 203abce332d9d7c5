// Arguments of functions that compute a result for each row: scalars, which repeat, and vectors of one length.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

class RowArguments {
public:
    // Throws UserError when vectors among the arguments differ in length, or an argument is neither. `ignored` are
    // positions that are read otherwise.
    RowArguments(Arguments arguments, std::vector<size_t> ignored = {});

    size_t rows() const { return rows_; }
    bool areScalars() const { return areScalars_; }

    // Read argument i at a row; NULL gives null<T>, and for names the empty string. Throw UserError for another type.
    double number(size_t i, size_t row, std::string_view name) const;
    int64_t integer(size_t i, size_t row, std::string_view name) const;
    int64_t date(size_t i, size_t row, std::string_view name) const;  // days since 1970
    std::string text(size_t i, size_t row, std::string_view name) const;
    bool isText(size_t i) const;
    bool isGiven(size_t i) const;

    // Returns f of each row as DOUBLE, a scalar where all arguments are. Asks for cancellation.
    Value map(const std::function<double(size_t row)>& f) const;

private:
    Value at(size_t i, size_t row) const;

    Arguments arguments_;
    size_t rows_ = 1;
    bool areScalars_ = true;
};

}  // namespace pelorus
