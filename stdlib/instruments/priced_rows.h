// Arguments of pricers: each is one, or as many as there are rows.
#pragma once

#include <functional>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

class PricedRows {
public:
    // Reads the first `count` arguments: a dictionary or scalar is the same for all rows, a tuple or vector has one for
    // each. Throws UserError where lengths differ.
    PricedRows(Arguments arguments, size_t count);

    // Returns argument i of a row. Throw UserError for another type.
    Value at(size_t i, size_t row) const;
    double number(size_t i, size_t row, std::string_view name) const;
    int64_t date(size_t i, size_t row, std::string_view name) const;  // days since 1970

    // Returns what `read` makes of argument i: once where it is the same for all rows.
    template <class T>
    std::vector<T> readEach(size_t i, const std::function<T(const Value&)>& read) const {
        std::vector<T> all;
        for (size_t row = 0; row < (isOne(i) ? 1 : rows_); ++row) all.push_back(read(at(i, row)));
        return all;
    }
    template <class T>
    const T& of(const std::vector<T>& all, size_t row) const {
        return all.size() == 1 ? all[0] : all[row];
    }

    // Returns f of each row: DOUBLE, or tuples where it gives others; the result itself where no argument has several.
    Value map(Context& context, const std::function<Value(size_t row)>& f) const;

private:
    bool isOne(size_t i) const;

    Arguments arguments_;
    size_t rows_ = 1;
    bool areSeveral_ = false;
};

}  // namespace pelorus
