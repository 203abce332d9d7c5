// memberModify!: changes what lies inside a tuple, a dictionary or an instance, where it is.
#include <algorithm>

#include "common/error.h"
#include "runtime/dictionary.h"
#include "runtime/format/print.h"
#include "runtime/instance.h"
#include "runtime/kernel/index.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/parts.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Value memberAt(const Value& object, const Value& index) {
    Value member;
    if (isInstance(object)) {
        if (index.isText() && memberRead(object, index.text(), member)) return member;
        throw UserError(2, "The object has no such attribute.");
    }
    const bool known = object.isDictionary()
                           ? object.dictionary().contains(index)
                           : index.isNumber() && index.asLong() >= 0 && index.asLong() < object.size();
    if (!known) throw InvalidIndices(itemText(index));
    return indexRead(object, {&index, 1});
}

// Follows the path of indices, changes what is at its end, and puts the changed parts back on the way out.
void modify(Context& context, Value& object, std::span<const Value> path, const Function& f,
            const std::vector<Value>& parameters) {
    if (path.empty()) {
        std::vector<Value> call{std::move(object)};
        call.insert(call.end(), parameters.begin(), parameters.end());
        Value result = f.call(context, call);
        object = f.signature().mutatesFirst ? std::move(call[0]) : std::move(result);
        return;
    }
    Value member = memberAt(object, path[0]);
    modify(context, member, path.subspan(1), f, parameters);
    if (object.isTuple()) {
        object.makeUnique();
        object.tuple().items[static_cast<size_t>(path[0].asLong())] = std::move(member);
    } else {
        indexWrite(object, path.first(1), member);
    }
}

// The function's other arguments: one as it stands, several as the items of a tuple.
std::vector<Value> parametersOf(const Value& given, const Function& f) {
    const auto others = static_cast<size_t>(std::max(f.signature().minArguments() - 1, 0));
    if (isOmitted(given)) return {};
    if (others > 1 && given.isTuple() && given.tuple().items.size() == others) return given.tuple().items;
    return {given};
}

Value memberModifyKernel(Context& context, Arguments a) {
    const bool suits = (a[0].isTuple() || a[0].isDictionary() || isInstance(a[0]));
    if (!suits) refuseArgument(0, "obj", "a tuple, a dictionary or an object", a[0]);
    const Function& f = functionArgument(a, 1);
    Value object = a[0];
    const Value& indices = a[2];
    if (indices.isTuple()) {
        modify(context, object, indices.tuple().items, f, parametersOf(a[3], f));
    } else if (indices.isVector()) {
        // Several members: each with its own item of the parameters.
        for (int64_t i = 0; i < indices.size(); ++i) {
            const Value index = indices.at(i);
            std::vector<Value> own;
            for (const Value& p : parametersOf(a[3], f)) {
                if (!p.isScalar() && p.size() != indices.size())
                    throw UserError(3, "There must be one parameter for each index.");
                own.push_back(p.isScalar() ? p : p.at(i));
            }
            modify(context, object, {&index, 1}, f, own);
        }
    } else {
        modify(context, object, {&indices, 1}, f, parametersOf(a[3], f));
    }
    a[0] = object;
    return object;
}

}  // namespace

void registerMemberModify(FunctionRegistry& registry) {
    registry.add("memberModify!(obj, function, indices, [parameters])", memberModifyKernel,
                 {.summary = "Changes members of a tuple, a dictionary or an object with a function of them. A scalar "
                             "names one member, a vector several, a tuple the way to one inside others.",
                  .errors = "There is no such member, or the function refuses it.",
                  .example = "t = (1 2, 3 4); memberModify!(t, append!, 1, 5); t[1] -> [3,4,5]"});
}

}  // namespace pelorus
