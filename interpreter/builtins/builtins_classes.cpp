// Functions on instances of classes.
#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/session/classes.h"
#include "runtime/code/expression.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

Instance& instanceArgument(Arguments a, int i = 0) {
    const Value& v = a[static_cast<size_t>(i)];
    if (!isInstance(v)) throw UserError(i, "obj must be an instance of a class.");
    return *v.as<Instance>();
}

std::string_view nameArgument(const Value& v, int i, const char* what) {
    if (!v.isString()) throw UserError(i, fmt::format("{} must be a string.", what));
    return v.string();
}

Value attributeNamesKernel(Context&, Arguments a) {
    std::vector<std::string> names;
    for (const Attribute& attribute : instanceArgument(a).type().attributes()) names.push_back(attribute.name);
    return Value::of(Vector::ofStrings(names));
}

Value attributeValuesKernel(Context&, Arguments a) {
    const Instance& object = instanceArgument(a);
    auto values = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (size_t i = 0; i < object.values().size(); ++i) {
        values->set(Value::ofString(object.type().attributes()[i].name), object.values()[i]);
    }
    return Value::of(values);
}

Value attributeTypesKernel(Context&, Arguments a) {
    std::vector<std::string> names, types;
    for (const Attribute& attribute : instanceArgument(a).type().attributes()) {
        names.push_back(attribute.name);
        types.push_back(attribute.typeString);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"attr", "type"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types))})));
}

Value isInstanceOfKernel(Context&, Arguments a) {
    const auto* type = a[1].isFunction() ? dynamic_cast<const ClassFunction*>(&a[1].function()) : nullptr;
    if (!type) throw UserError(1, "cls must be a class.");
    return Value::ofBool(isInstance(a[0]) && a[0].as<Instance>()->isInstanceOf(*type));
}

Value setAttrKernel(Context&, Arguments a) {
    instanceArgument(a).write(nameArgument(a[1], 1, "attrName"), a[2]);
    return Value();
}

std::vector<Value> itemsOf(const Value& v) {
    return v.isTuple() ? v.tuple().elements : std::vector<Value>{v};
}

Value objCallKernel(Context& context, Arguments a) {
    instanceArgument(a);
    return callMethod(a[0], nameArgument(a[1], 1, "methodName"), a.subspan(2), context);
}

Value unifiedObjCallKernel(Context& context, Arguments a) {
    instanceArgument(a);
    std::vector<Value> arguments = itemsOf(a[2]);
    return callMethod(a[0], nameArgument(a[1], 1, "methodName"), arguments, context);
}

// Compiles code that calls a method of the same instance.
Value methodCall(Arguments a, std::span<const Value> given) {
    instanceArgument(a);
    const std::string name(nameArgument(a[1], 1, "methodName"));
    const SourcePosition nowhere;
    auto constant = [&](const Value& v) -> NodeRef {
        if (v.isScalar() && v.type() == Type::Code) return v.as<Code>()->node;
        return makeRef<Constant>(v, nowhere);
    };
    auto callee = makeRef<Constant>(Value::of(Ref<Function>(makeRef<MethodFunction>(name))), nowhere);
    callee->spelling = name;
    std::vector<Argument> arguments = {{"", constant(a[0])}};
    for (const Value& v : given) arguments.push_back({"", constant(v)});
    return codeValue(makeRef<Call>(std::move(callee), std::move(arguments), Call::Style::Function, nowhere));
}

Value makeObjCallKernel(Context&, Arguments a) {
    return methodCall(a, a.subspan(2));
}

Value makeUnifiedObjCallKernel(Context&, Arguments a) {
    const std::vector<Value> arguments = itemsOf(a[2]);
    return methodCall(a, arguments);
}

}  // namespace

void registerClassBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    constexpr std::string_view kNoMethod = "The class has no such method.";
    registry.add("attributeNames(obj)", attributeNamesKernel,
                 {.summary = "The names of an instance's attributes, those of the base class first.",
                  .example = "class Trade { sym :: STRING; qty :: INT; def Trade(s, q) { sym = s; qty = q } }; "
                             "attributeNames(Trade(\"AAPL\", 100)) -> [\"sym\",\"qty\"]"},
                 kReads);
    registry.add("attributeValues(obj)", attributeValuesKernel,
                 {.summary = "The attributes of an instance as an ordered dictionary.",
                  .example = "class Trade { sym :: STRING; qty :: INT; def Trade(s, q) { sym = s; qty = q } }; "
                             "attributeValues(Trade(\"AAPL\", 100)).qty -> 100"},
                 kReads);
    registry.add("attributeTypes(obj)", attributeTypesKernel,
                 {.summary = "A table of the attributes of an instance with their declared types.",
                  .example = "class Trade { sym :: STRING; qty :: INT; def Trade(s, q) { sym = s; qty = q } }; "
                             "attributeTypes(Trade(\"AAPL\", 100)).type -> [\"STRING\",\"INT\"]"},
                 kReads);
    registry.add(
        "isInstanceOf(obj, cls)", isInstanceOfKernel,
        {.summary = "Whether obj is an instance of the class or of one derived from it, as BOOL.",
         .example = "class Order { qty :: INT; def Order(q) { qty = q } }; isInstanceOf(Order(100), Order) -> true"},
        kReads);
    registry.add("setAttr(obj, attrName, value)", setAttrKernel,
                 {.summary = "Changes an attribute of an instance.",
                  .parameters = "obj: an instance of a class\n"
                                "attrName: the name of one of its attributes\n"
                                "value: the new value, of the type that the class declares",
                  .errors = "There is no such attribute, or the value does not fit its type.",
                  .example = "class Order { qty :: INT; def Order(q) { qty = q } }; o = Order(100); setAttr(o, "
                             "\"qty\", 250); o.qty -> 250"});
    registry.add("objCall(obj, methodName, args...)", objCallKernel,
                 {.summary = "Calls a method of an instance by its name.",
                  .parameters = "obj: an instance of a class\n"
                                "methodName: the name of one of its methods\n"
                                "args: the arguments of the method",
                  .errors = kNoMethod,
                  .example = "class Fee { rate :: DOUBLE; def Fee(r) { rate = r }; def of(qty, price) { return qty * "
                             "price * rate } }; objCall(Fee(0.001), \"of\", 100, 25.5) -> 2.55"});
    registry.add("unifiedObjCall(obj, methodName, args)", unifiedObjCallKernel,
                 {.summary = "Calls a method with the arguments of a tuple.",
                  .parameters = "obj: an instance of a class\n"
                                "methodName: the name of one of its methods\n"
                                "args: a tuple of the arguments of the method, or its only one",
                  .errors = kNoMethod,
                  .example = "class Fee { rate :: DOUBLE; def Fee(r) { rate = r }; def of(qty, price) { return qty * "
                             "price * rate } }; unifiedObjCall(Fee(0.001), \"of\", (100, 25.5)) -> 2.55"});
    registry.add("makeObjCall(obj, methodName, args...)", makeObjCallKernel,
                 {.summary = "Metacode that calls a method of the instance.",
                  .parameters = "obj: an instance of a class\n"
                                "methodName: the name of one of its methods\n"
                                "args: the arguments of the method",
                  .example = "class Fee { rate :: DOUBLE; def Fee(r) { rate = r }; def of(qty, price) { return qty * "
                             "price * rate } }; eval(makeObjCall(Fee(0.001), \"of\", 100, 25.5)) -> 2.55"});
    registry.add("makeUnifiedObjCall(obj, methodName, args)", makeUnifiedObjCallKernel,
                 {.summary = "Metacode that calls a method with the arguments of a tuple.",
                  .parameters = "obj: an instance of a class\n"
                                "methodName: the name of one of its methods\n"
                                "args: a tuple of the arguments of the method, or its only one",
                  .example = "class Fee { rate :: DOUBLE; def Fee(r) { rate = r }; def of(qty, price) { return qty * "
                             "price * rate } }; eval(makeUnifiedObjCall(Fee(0.001), \"of\", (100, 25.5))) -> 2.55"});
}

}  // namespace pelorus
