// Binder resolves the names, functions and types of one expression. bind.cpp and inline.cpp implement it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpreter/bytecode/closure.h"
#include "interpreter/expression/bind.h"
#include "interpreter/expression/bound.h"
#include "runtime/code/statement.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// The state of binding one expression. Columns and context outlive it.
class Binder {
public:
    Binder(const TableSchema& columns, Context& context) : columns_(columns), context_(context) {}

    // Binds a node; returns null when its type cannot be determined.
    BoundRef of(const Node& node);
    // Defines the meaning of the names "0", "1" …, in place of columns and variables.
    void define(std::span<const BoundRef> leaves) { leaves_ = leaves; }
    // Names these parameters, in place of variables; they outlive this.
    void define(const NamedParameters& parameters) { parameters_ = &parameters; }

private:
    // A function of a script whose body is being bound: its variables so far, and the functions that it knows by name.
    struct Inlined {
        const CompiledFunction* code;
        std::unordered_map<std::string, BoundRef> variables;
        std::vector<BoundRef> computed;  // arguments, and assigned values
    };

    // Limit for inlined functions: a larger body remains a call.
    static constexpr int kMaxNodes = 200;

    BoundRef ofPart(const Node& node);
    BoundRef ofName(const Name& name);
    BoundRef ofUnary(const Unary& node);
    BoundRef ofBinary(const Binary& node);
    BoundRef ofTernary(const Ternary& node);
    BoundRef ofCall(const Call& call);
    BoundRef ofBuiltin(const BuiltinFunction& function, const Call& call);
    BoundRef operation(Operator op, BoundRef a, BoundRef b);
    BoundRef between(const BoundRef& x, const Node& range);
    BoundRef select(BoundRef condition, BoundRef then, BoundRef otherwise, ResultType type);
    // Evaluates a part without declared types that reads no column and has no effect.
    BoundRef evaluated(const Node& node);
    // Returns the function that a name denotes here; null when it is none.
    Ref<Function> functionNamed(const Name& name) const;

    // These are in inline.cpp.
    BoundRef inlined(const Closure& closure, const Call& call);
    BoundRef bodyOf(const FunctionBody& body);
    bool assign(const Assign& statement);

    // Returns one node for all equal ones; null when no column can have its type. Folds operations on constants.
    BoundRef shared(Bound&& bound);
    BoundRef folded(const Bound& bound);

    const TableSchema& columns_;
    Context& context_;
    std::span<const BoundRef> leaves_;
    const NamedParameters* parameters_ = nullptr;
    std::vector<Inlined> functions_;  // around the node that is bound, the innermost last
    std::unordered_map<std::string, BoundRef> known_;
    int nodes_ = 0;  // nodes of inlined functions so far
};

BoundRef boundConstant(const Value& value);

// Returns whether a column can store values of the type one by one.
inline bool isElementType(Type type) {
    return type != Type::Void && type != Type::Any && !isArrayType(type) && storageOf(type) != Storage::Boxed;
}

}  // namespace pelorus
