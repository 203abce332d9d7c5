// Partition function f(column, constants…), which places the rows of a level by its result instead of by the partition
// column itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/thread/once.h"
#include "runtime/function/function.h"
#include "runtime/value/value.h"

namespace pelorus {

// A function that computes partition keys from a column. It is called with its arguments only: no session, no shared
// tables, no databases, so that the partition of a row does not depend on its writer. Immutable and thread-safe.
class PartitionFunction {
public:
    // `arguments` of the call; the column replaces the one at `columnAt`. `string` is the call as written.
    PartitionFunction(const std::string& string, const Ref<Function>& function, std::vector<Value> arguments,
                      size_t columnAt);
    // Restores a function from saved(). The bytes are parsed at first use only, as catalogs are read often; errors in
    // them are UserErrors then.
    explicit PartitionFunction(std::string saved) : saved_(std::move(saved)) {}

    const std::string& saved() const { return saved_; }
    std::string string() const;
    // Returns one key per element of a vector, a scalar for a scalar. Throws UserError (S01067) when the function
    // returns another form, and the function's own errors.
    Value keys(const Value& column) const;
    // Returns whether keys never fall while elements of such a type grow.
    bool isMonotone(Type column) const;

private:
    struct Call {
        std::string string;
        Ref<Function> function;
        std::vector<Value> arguments;
        size_t columnAt = 0;
    };
    const Call& call() const;

    const std::string saved_;
    mutable Once loaded_;
    mutable Call call_;
};

// One per level; null where the column itself places the rows. Empty when that is so everywhere.
using PartitionFunctions = std::vector<std::shared_ptr<const PartitionFunction>>;
inline const PartitionFunction* functionOf(const PartitionFunctions& functions, size_t level) {
    return level < functions.size() ? functions[level].get() : nullptr;
}

}  // namespace pelorus
