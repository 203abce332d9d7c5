// memberModify!: a function that changes its argument, applied to the members of a tuple, dictionary or instance.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/function/instance.h"
#include "runtime/kernel/index/index.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

class MemberChange {
public:
    MemberChange(Context& context, const Function& function) : context_(context), function_(function) {}

    // Changes the member at the end of `path`; `parameters` are the arguments after the first.
    void apply(Value& object, std::span<const Value> path, const std::vector<Value>& parameters) {
        if (path.empty()) {
            std::vector<Value> call = {std::move(object)};
            call.insert(call.end(), parameters.begin(), parameters.end());
            Value result = function_.call(context_, call);
            object = function_.signature().mutatesFirst ? std::move(call[0]) : std::move(result);
            return;
        }
        const Value& index = path[0];
        if (index.isScalar()) return member(object, index, path.subspan(1), parameters);
        // Several members, each with its own parameters.
        for (int64_t i = 0; i < index.size(); ++i) {
            std::vector<Value> own;
            for (const Value& p : parameters) own.push_back(!p.isScalar() && p.size() == index.size() ? p.at(i) : p);
            member(object, index.at(i), path.subspan(1), own);
        }
    }

private:
    void member(Value& object, const Value& index, std::span<const Value> rest, const std::vector<Value>& parameters) {
        if (object.isTuple()) {
            object.makeUnique();
            const int64_t i = index.isNumber() ? index.asLong() : -1;
            if (i < 0 || i >= object.size()) {
                throw UserError(
                    2, fmt::format("indices must be positions in the tuple, which has {} elements.", object.size()));
            }
            return apply(object.tuple().elements[static_cast<size_t>(i)], rest, parameters);
        }
        if (object.isDictionary()) {
            object.makeUnique();
            if (!object.dictionary().contains(index)) throw UserError(2, "The dictionary has no such key.");
            Value value = object.dictionary().get(index);
            apply(value, rest, parameters);
            object.dictionary().set(index, value);
            return;
        }
        if (isInstance(object)) {
            Value value;
            if (!index.isString() || !object.as<Instance>()->read(index.string(), value)) {
                throw UserError(2, "The object has no such attribute.");
            }
            apply(value, rest, parameters);
            object.as<Instance>()->write(index.string(), value);
            return;
        }
        refuseArgument(0, "obj", "a tuple, a dictionary or an object", object);
    }

    Context& context_;
    const Function& function_;
};

Value memberModifyKernel(Context& context, Arguments a) {
    if (!a[1].isFunction()) refuseArgument(1, "function", "a function that changes its first argument", a[1]);
    const Function& function = a[1].function();
    std::vector<Value> path = a[2].isTuple() ? a[2].tuple().elements : std::vector<Value>{a[2]};
    std::vector<Value> parameters(a.begin() + 3, a.end());
    // A function of several parameters gets them as a tuple.
    if (parameters.size() == 1 && parameters[0].isTuple() && function.signature().minArguments() > 2) {
        parameters = std::vector<Value>(a[3].tuple().elements);
    }
    Value object = std::move(a[0]);
    try {
        MemberChange(context, function).apply(object, path, parameters);
    } catch (...) {
        a[0] = std::move(object);
        throw;
    }
    a[0] = std::move(object);
    return Value();
}

}  // namespace

void registerMemberModify(FunctionRegistry& registry) {
    registry.add("memberModify!(obj, function, indices, parameters...)", memberModifyKernel,
                 {.summary = "Changes members of a tuple, dictionary or object in place by a function such as append!.",
                  .parameters = "indices: a position, key or attribute; a vector of several; a tuple for members of "
                                "members\nparameters: what function takes after the member; one element per index when "
                                "indices is a vector",
                  .errors = "There is no such member.",
                  .example = "a = (1 2, 3 4); memberModify!(a, append!, 0, 5); a -> ([1,2,5],[3,4])"});
}

}  // namespace pelorus
