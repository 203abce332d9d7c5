// Dictionaries and sets.
#include <algorithm>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/table/table_changes.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

bool namesType(const Value& v) {
    Type type;
    if (v.isFunction()) return typeByName(v.function().name(), type);
    return v.isScalar() && v.type() == Type::Int;
}

// dict(keys, values, [ordered]) and dict(keyType, valueType, [ordered]).
Value dictKernel(Context&, Arguments a) {
    bool ordered = flagArgument(a, 2, "ordered", false);
    if (namesType(a[0]) && (namesType(a[1]) || a[1].isString())) {
        return Value::of(makeRef<Dictionary>(typeArgument(a, 0, "keyType"), typeArgument(a, 1, "valueType"), ordered));
    }
    Ref<Vector> keys;
    Value keyItems = a[0];
    if (!a[0].isTuple()) {
        keys = vectorArgument(a, 0, "keyObj");
        keyItems = Value::of(keys);
    }
    const Value& values = a[1];
    bool one = values.isScalar();
    // The columns of a matrix are the values of the keys.
    const int64_t count = values.isMatrix() ? values.matrix().columns : values.size();
    if (!one && count != keyItems.size()) {
        throw UserError(1, fmt::format("keyObj and valueObj differ in length: {} and {}.", keyItems.size(), count));
    }
    bool boxed = values.isTuple() || values.isTable() || values.isMatrix() || values.isDictionary() ||
                 storageOf(values.type()) == Storage::Boxed;
    auto result = makeRef<Dictionary>(keys ? keys->type() : Type::Any,
                                      boxed || values.isVoid() ? Type::Any : values.type(), ordered);
    inPieces(keyItems.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) result->set(keyItems.at(i), one ? values : values.at(i));
    });
    return Value::of(result);
}

Value keysKernel(Context&, Arguments a) {
    if (a[0].isSet()) return a[0].set().index.keys();
    if (a[0].isTable()) {
        std::vector<std::string> names;
        for (const ColumnSchema& column : a[0].table().columns()) names.push_back(column.name);
        return Value::of(Vector::ofStrings(names));
    }
    if (!a[0].isDictionary()) refuseArgument(0, "X", "a dictionary or set", a[0]);
    return a[0].dictionary().keys();
}

Value valuesKernel(Context&, Arguments a) {
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table) refuseArgument(0, "X", "a table in memory", a[0]);
        std::vector<Value> columns;
        for (int i = 0; i < table->columnCount(); ++i) columns.push_back(table->column(i));
        return Value::of(makeRef<Tuple>(std::move(columns)));
    }
    if (!a[0].isDictionary()) refuseArgument(0, "X", "a dictionary", a[0]);
    return a[0].dictionary().values();
}

Value setKernel(Context&, Arguments a) {
    // A type, for example INT or int: an empty set of it.
    Type type;
    if (a[0].isFunction() && typeByName(a[0].function().name(), type) && storageOf(type) != Storage::Boxed &&
        storageOf(type) != Storage::None && !isArrayType(type)) {
        return Value::of(makeRef<Set>(type));
    }
    Ref<Vector> elements = vectorArgument(a, 0, "X");
    auto result = makeRef<Set>(elements->type());
    std::vector<int32_t> positions(static_cast<size_t>(elements->size()));
    result->index.insertAll(*elements, positions.data());
    return Value::of(result);
}

// Removes the rows of a table for which metacode, or a tuple of it, holds.
Value eraseRows(Context& context, Arguments a) {
    if (const auto* table = asMemoryTable(a[0])) requireOwnColumns(*table, "erase!");
    FunctionRegistry& registry = FunctionRegistry::instance();
    a[0].makeUnique();
    std::vector<Value> parts = {a[0], a[1], omitted()};
    std::vector<Value> code = {registry.get("sqlDelete").call(context, parts)};
    registry.get("eval").call(context, code);
    return a[0];
}

// erase!(X, y): keys of a dictionary, elements of a set, rows of a table.
Value eraseKernel(Context& context, Arguments a) {
    if (a[0].isTable()) return eraseRows(context, a);
    Value x = std::move(a[0]);
    x.makeUnique();
    const Value& gone = a[1];
    int64_t n = gone.isScalar() ? 1 : gone.size();
    for (int64_t i = 0; i < n; ++i) {
        Value key = gone.isScalar() ? gone : gone.at(i);
        if (x.isDictionary()) {
            x.dictionary().erase(key);
        } else if (x.isSet()) {
            x.set().index.erase(key);
        } else {
            a[0] = x;
            refuseArgument(0, "obj", "a dictionary, a set or a table", x);
        }
    }
    a[0] = x;
    return x;
}

Value clearKernel(Context&, Arguments a) {
    Value x = std::move(a[0]);
    if (x.isTable()) {
        auto* table = asMemoryTable(x);
        if (!table) {
            a[0] = x;
            refuseArgument(0, "X", "a table in memory", x);
        }
        requireChangeable(*table);
        Ref<MemoryTable> empty = MemoryTable::empty(table->columns());
        if (table->lock) {
            const OptionalLock guard(table->lock.get());
            table->mutableColumns() = empty->mutableColumns();
            table->keep();
        } else {
            empty->name = table->name;
            if (table->keys()) empty->setKeys(table->keys()->withoutRows());
            x = Value::of(Ref<Table>(empty));
        }
    } else if (x.isTuple()) {
        x = Value::of(makeRef<Tuple>());
    } else if (x.isVector()) {
        x = Value::of(Vector::make(x.type(), 0));
    } else if (x.isDictionary()) {
        x = Value::of(
            makeRef<Dictionary>(x.dictionary().keyType(), x.dictionary().valueType(), x.dictionary().ordered()));
    } else if (x.isSet()) {
        x = Value::of(makeRef<Set>(x.type()));
    } else {
        a[0] = x;
        refuseArgument(0, "X", "a vector, set, dictionary or table", x);
    }
    a[0] = x;
    return x;
}

// dictUpdate!(d, func, keys, args, [initFunc]): d[key] = func(d[key], arg) for each key.
Value dictUpdateKernel(Context& context, Arguments a) {
    if (!a[0].isDictionary()) refuseArgument(0, "dictionary", "a dictionary", a[0]);
    if (!a[1].isFunction()) refuseArgument(1, "function", "a function", a[1]);
    Value d = std::move(a[0]);
    d.makeUnique();
    Ref<Function> f(&a[1].function());
    int64_t n = a[2].isScalar() ? 1 : a[2].size();
    if (!a[2].isScalar() && !a[3].isScalar() && a[3].size() != n)
        throw UserError(3, fmt::format("keys and parameters differ in length: {} and {}.", n, a[3].size()));
    for (int64_t i = 0; i < n; ++i) {
        Value key = a[2].isScalar() ? a[2] : a[2].at(i);
        Value parameter = a[3].isScalar() || a[2].isScalar() ? a[3] : a[3].at(i);
        if (!d.dictionary().contains(key)) {
            Value first = parameter;
            if (isGiven(a, 4) && a[4].isFunction()) {
                std::vector<Value> call = {parameter};
                first = a[4].function().call(context, call);
            }
            d.dictionary().set(key, first);
            continue;
        }
        std::vector<Value> call = {d.dictionary().get(key), parameter};
        Value result = f->call(context, call);
        // A function that changes its first argument leaves the new value there.
        d.dictionary().set(key, f->signature().mutatesFirst ? call[0] : result);
    }
    a[0] = d;
    return d;
}

Value popKernel(Context&, Arguments a) {
    Value x = std::move(a[0]);
    x.makeUnique();
    if (!x.isVector() || x.size() == 0) {
        a[0] = x;
        refuseArgument(0, "X", "a vector with elements", x);
    }
    Value last = x.at(x.size() - 1);
    if (x.isTuple()) {
        x.tuple().elements.pop_back();
    } else {
        x = Value::of(x.vector().slice(0, x.size() - 1));
    }
    a[0] = x;
    return last;
}

// removeHead!, removeTail!
template <bool kHead>
Value removeKernel(Context&, Arguments a) {
    int64_t n = integerArgument(a, 1, "n");
    Value x = std::move(a[0]);
    int64_t size = x.size();
    n = std::clamp<int64_t>(n, 0, size);
    if (!x.isVector()) {
        a[0] = x;
        refuseArgument(0, "obj", "a vector", x);
    }
    if (x.isTuple()) {
        const auto& elements = x.tuple().elements;
        x = Value::of(makeRef<Tuple>(kHead ? std::vector<Value>(elements.begin() + n, elements.end())
                                           : std::vector<Value>(elements.begin(), elements.end() - n)));
    } else {
        x = Value::of(x.vector().slice(kHead ? n : 0, size - n)->copy());
    }
    a[0] = x;
    return x;
}

// member(X, Y): X.Y, with the name computed.
Value memberKernel(Context&, Arguments a) {
    Value result;
    if (a[1].isString()) {
        if (memberRead(a[0], std::string(a[1].string()), result)) return result;
    } else if (a[0].isDictionary() && a[1].isScalar()) {
        return a[0].dictionary().get(a[1]);
    }
    throw UserError(1, fmt::format("{} has no member {}.", typeString(a[0]), display(a[1])));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "keyObj: a vector or tuple of keys, or the type of the keys of an empty dictionary\n"
    "valueObj: a value for each key, a scalar for all, or a type, ANY for values of any kind\n"
    "ordered: true keeps the order in which keys are added\n"
    "dictionary: the dictionary that is changed\n"
    "function: a function of the value and the parameter that gives the new value\n"
    "keys: a key, or a vector of them\n"
    "parameters: the second argument of the function: one for all keys, or one for each\n"
    "initFunc: a function of the parameter that gives the value of a new key; the parameter itself when omitted";

void registerDictionaries(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   const Declaration& declaration = {}) {
        registry.add(syntax, kernel,
                     {.summary = summary, .parameters = parameterLines(syntax, kParameterLines), .example = example},
                     declaration);
    };
    add("dict(keyObj, valueObj, [ordered=false])", dictKernel,
        "A dictionary of keys and values, or an empty one of the two types.", "dict(`a`b, 1 2)[`b] -> 2");
    registry.alias("syncDict", "dict");
    add("member(X, Y)", memberKernel,
        "The column of a table, the value of a dictionary or the member of an object named Y.",
        "member(table(1 2 as a), `a) -> [1,2]");
    add("keys(X)", keysKernel, "The keys of a dictionary, the elements of a set, the column names of a table.",
        "keys(dict(`a`b, 1 2, true)) -> [\"a\",\"b\"]");
    add("values(X)", valuesKernel, "The values of a dictionary; the columns of a table as a tuple.",
        "values(dict(`a`b, 1 2, true)) -> [1,2]");
    add("set(X)", setKernel,
        "The set of the elements of X; an empty set where X is the function of a type, for example int.",
        "size(set(1 2 2)) -> 2");
    add("erase!(obj, key|filter)", eraseKernel,
        "Removes keys of a dictionary, elements of a set, or the rows of a table for which metacode holds.",
        "d = dict(`a`b, 1 2); erase!(d, `a); size(d) -> 1");
    add("clear!(X)", clearKernel, "Removes all elements, keys or rows.", "x = 1 2; clear!(x); size(x) -> 0");
    add("dictUpdate!(dictionary, function, keys, parameters, [initFunc])", dictUpdateKernel,
        "Sets each key to the function of its value and the parameter; a new key takes the parameter, or initFunc of "
        "it.",
        "d = dict(`a`b, 1 2); dictUpdate!(d, add, `a, 5); d[`a] -> 6");
    add("pop!(X)", popKernel, "Removes the last element of X and returns it.", "x = 1 2 3; pop!(x) -> 3",
        {.givesOther = true});
    add("removeHead!(obj, n)", removeKernel<true>, "Removes the first n elements.",
        "x = 1 2 3; removeHead!(x, 2); x -> [3]");
    add("removeTail!(obj, n)", removeKernel<false>, "Removes the last n elements.",
        "x = 1 2 3; removeTail!(x, 2); x -> [1]");
}

}  // namespace pelorus
