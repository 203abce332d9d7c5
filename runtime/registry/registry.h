// Name → built-in function, with its documentation.
//
// Each folder that can implement functions has one `register…` per family. The signature string is the source of the
// parameters' names, of which are optional, and of the errors for wrong arguments:
//
//   registry.add("mavg(X, window, [minPeriods])", mavgKernel, {.summary = …, .example = "mavg(1 2 3, 2) ->
//   [,1.5,2.5]"});
//
// `[x=3]` documents a default; the kernel still sees an omitted argument. A signature that ends in `...` is variadic. A
// name that ends in `!` changes its first argument, and `mutable x` says that it changes x.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

class Principal;

// A string of the documentation. It owns its bytes: registrations are made of strings that are concatenated on the
// spot, and are read as long as the process lives.
class DocString {
public:
    DocString() = default;
    DocString(const char* string) : string_(string) {}
    DocString(std::string_view string) : string_(string) {}
    DocString(std::string string) : string_(std::move(string)) {}
    operator std::string_view() const { return string_; }
    bool empty() const { return string_.empty(); }

private:
    std::string string_;
};

// The documentation of a function, the source of help(), of the pages under docs/functions and of tests.
struct FunctionDoc {
    DocString summary;          // one sentence: what it returns, of which shape and type
    DocString parameters = {};  // "X: …\nwindow: …", one line each, where the names do not say enough
    DocString units = {};
    DocString nulls = {};  // how NULLs in the arguments affect the result
    DocString errors = {};
    DocString complexity = {};
    DocString source = {};   // paper or standard of the method
    DocString example = {};  // "expression -> display", run and compared by the tests; several lines allowed
};

// The arguments of a built-in's call: as many as the signature has parameters (omitted ones are VOID, see isOmitted),
// or as many as passed when variadic.
using Arguments = std::span<Value>;
using Kernel = Value (*)(Context& context, Arguments arguments);
// An elementwise kernel made from a functor: it knows its argument and result types.
struct ElementwiseKernel {
    Kernel kernel;
    std::span<const ScalarForm> scalar;
    Takes takes;
    TypeRule gives;
    operator Kernel() const { return kernel; }
};
class BuiltinFunction final : public Function {
public:
    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return "builtin"; }
    Value save() const override { return Value::ofString(name_); }

    std::string_view syntax() const { return syntax_; }
    const FunctionDoc& doc() const { return doc_; }
    const Declaration& declaration() const { return declaration_; }
    // Returns the type of a call's result as a planner knows it; unknown too where the types have no such operation.
    ResultType typeFor(std::span<const TypedArgument> arguments) const;
    // Returns the form for such scalars; nullptr when there is none.
    const ScalarForm* scalarForm(std::span<const TypedArgument> arguments) const;
    MakeState makeState() const { return declaration_.state; }
    // Returns whether there is a state for this many arguments. States take the mandatory arguments: options are known
    // to the form for whole vectors only.
    bool hasStateFor(size_t arguments) const {
        return declaration_.state && arguments == static_cast<size_t>(std::max(signature_.minArguments(), 1));
    }
    // Returns whether a call changes this argument in place.
    bool changes(size_t argument) const {
        if (argument == 0 && signature_.mutatesFirst) return true;
        return argument < signature_.parameters.size() && signature_.parameters[argument].isMutable;
    }
    // Throws UserError, naming the parameter, for the first argument that the declaration does not take.
    void requireTaken(std::span<const Value> arguments) const;

private:
    friend class FunctionRegistry;
    void declare(const Declaration& declaration);
    void requireFacet(const Principal& principal) const;
    bool applyScalarForm(std::span<const Value> arguments, Value& result) const;
    void readTables(std::span<Value> arguments) const;

    std::string name_;
    std::string syntax_;
    Signature signature_;
    Kernel kernel_ = nullptr;
    Declaration declaration_;
    int restricted_ = 0;  // parameters up to the last one that does not take everything
    FunctionDoc doc_;
};

// Declares a function that reads the state of the process, its files or its cluster, and changes nothing.
constexpr Declaration kReads{.effect = Effect::Stable};
// Declares a function of Facet::Open, which clients call before they log in, that reads and changes nothing.
constexpr Declaration kReadsBeforeLogin{.effect = Effect::Stable, .facet = Facet::Open};
// Declares a function that nodes ask each other.
constexpr Declaration kForNodes{.facet = Facet::Node};

// Returns the role of the built-in of this name; None where there is none.
Role roleOf(std::string_view builtin);
// Returns the role of the built-in that a call's callee names.
Role roleOf(const NodeRef& callee);

class FunctionRegistry {
public:
    // The process's registry. Filled before the first script runs, then only read: no locks.
    static FunctionRegistry& instance();

    void add(std::string_view syntax, Kernel kernel, const FunctionDoc& doc, const Declaration& declaration = {});
    void add(std::string_view syntax, ElementwiseKernel kernel, const FunctionDoc& doc,
             const Declaration& declaration = {});
    // Adds a second name for a function, as mean for avg.
    void alias(std::string_view name, std::string_view existing);

    // Finds functions of scripts only.
    const BuiltinFunction* find(std::string_view name) const;
    // Throws UserError with the nearest names when there is none.
    const BuiltinFunction& get(std::string_view name) const;
    std::vector<std::string_view> names() const;
    // Finds functions of nodes, too: for calls that a node makes, or that came from one.
    const BuiltinFunction* findForNode(std::string_view name) const;
    const BuiltinFunction& getForNode(std::string_view name) const;
    // Returns known names that a misspelt one may have meant, nearest first, at most three.
    std::vector<std::string_view> nearest(std::string_view name) const;

private:
    BuiltinFunction& make(std::string_view syntax, Kernel kernel, const FunctionDoc& doc,
                          const Declaration& declaration);

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
    };
    using Functions = std::unordered_map<std::string, Ref<BuiltinFunction>, Hash, std::equal_to<>>;
    friend class FunctionFamily;
    Declaration common_;
    Functions functions_;
    Functions nodeFunctions_;  // separate, so that name lookups of scripts cannot find them
};

// The defaults that the functions of a family share, while this object lives: a registration without a facet or effect
// takes these. One without a facet throws InternalError.
class FunctionFamily {
public:
    FunctionFamily(FunctionRegistry& registry, Facet facet, Effect effect = Effect::Undeclared);
    ~FunctionFamily() { registry_.common_ = before_; }
    FunctionFamily(const FunctionFamily&) = delete;
    FunctionFamily& operator=(const FunctionFamily&) = delete;

private:
    FunctionRegistry& registry_;
    Declaration before_;
};

}  // namespace pelorus
