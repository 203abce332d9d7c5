#include "interpreter/vm/caller_values.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/bytecode/compiled_function.h"
#include "interpreter/vm/vm.h"
#include "runtime/function/instance.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

// Containers within containers: deeper ones are refused, since the walk uses the stack.
constexpr int kMaxNested = 64;

// A function of the caller within the body of a view. Its results are the caller's, too.
class CallerFunction final : public Function {
public:
    CallerFunction(Ref<Function> function, std::shared_ptr<ViewCaller> caller)
        : function_(std::move(function)), caller_(std::move(caller)) {}

    std::string_view name() const override { return function_->name(); }
    const Signature& signature() const override { return function_->signature(); }
    // Describes the function without its values, which may be tables that the body's user may read, and the caller may
    // not.
    std::string describe() const override {
        return function_->name().empty() ? std::string("a function of the caller") : std::string(function_->name());
    }
    std::string_view portableKind() const override { return "caller"; }
    Value save() const override {
        throw UserError(
            fmt::format("A function view cannot send {}, a function of its caller, to another node.", describe()),
            "Pass the data instead, or call the function on this node.");
    }

    // A job that the body submits has a separate request, and would run the function as the definer.
    Value call(Context& context, std::span<Value> arguments) const override {
        if (caller_->hasEnded || context.request != caller_->request) {
            throw UserError(
                fmt::format("{} is a function of the caller of a function view: it cannot be called after "
                            "the view, or by a job.",
                            describe()));
        }
        Context inner = context;
        inner.definer = caller_->definer;
        inner.callerTables = caller_->callerTables;
        inner.session = caller_->session;
        inner.scope = caller_->scope;
        const Value result = callFunction(*function_, inner, arguments);
        for (size_t i = 0; i < arguments.size(); ++i) {
            if (changesArgument(*function_, i)) arguments[i] = guardedValue(arguments[i], caller_);
        }
        return guardedValue(result, caller_);
    }

    const Ref<Function>& function() const { return function_; }
    const ViewCaller& caller() const { return *caller_; }

private:
    Ref<Function> function_;
    std::shared_ptr<ViewCaller> caller_;
};

// Returns the value with `change` applied to what is no container; the same object when nothing differs.
template <class Change>
Value mapped(const Value& value, int depth, const Change& change) {
    if (depth > kMaxNested) throw UserError("A function view takes no values that are nested so deep.");
    auto differs = [](const Value& a, const Value& b) {
        return a.hasObject() != b.hasObject() || (a.hasObject() && a.object() != b.object());
    };
    if (value.isTuple()) {
        Ref<Tuple> copy;
        const std::vector<Value>& items = value.tuple().elements;
        for (size_t i = 0; i < items.size(); ++i) {
            if (!items[i].hasObject()) continue;
            Value item = mapped(items[i], depth + 1, change);
            if (!differs(item, items[i])) continue;
            if (!copy) copy = makeRef<Tuple>(items);
            copy->elements[i] = std::move(item);
        }
        return copy ? Value::of(copy) : value;
    }
    if (value.isDictionary()) {
        const Dictionary& d = value.dictionary();
        if (d.valueType() != Type::Any) return value;
        Ref<Dictionary> copy;
        for (int64_t i = 0; i < d.size(); ++i) {
            const Value item = d.valueAt(i);
            Value replaced = mapped(item, depth + 1, change);
            if (!differs(replaced, item) && !copy) continue;
            if (!copy) {
                copy = makeRef<Dictionary>(d.keyType(), Type::Any, d.ordered());
                for (int64_t before = 0; before < i; ++before) copy->set(d.keyAt(before), d.valueAt(before));
            }
            copy->set(d.keyAt(i), std::move(replaced));
        }
        return copy ? Value::of(copy) : value;
    }
    if (MemoryTable* table = asMemoryTable(value)) {
        bool hasTuples = false;
        for (const ColumnSchema& c : table->columns()) hasTuples |= c.type == Type::Any;
        const Ref<MemoryTable> rows = hasTuples ? tableToRead(value) : Ref<MemoryTable>();
        for (int c = 0; rows && c < rows->columnCount(); ++c) {
            if (differs(mapped(rows->column(c), depth + 1, change), rows->column(c))) {
                throw UserError("A function view takes no table with functions in its cells.");
            }
        }
    }
    return change(value);
}

// Functions that take a handle know its path only, and would act on it as the definer.
bool isDatabaseHandle(const Value& v) {
    const auto* handle =
        v.type() == Type::Handle && v.hasObject() ? dynamic_cast<const Portable*>(v.object()) : nullptr;
    return handle && handle->portableKind() == "database";
}

[[noreturn]] void refuse(std::string_view what) {
    throw UserError(fmt::format("A function view takes no {} from its caller: it would run with the rights of the "
                                "view's definer.",
                                what),
                    "Pass the values, or a function, which runs with your own rights.");
}

}  // namespace

Value guardedValue(const Value& value, const std::shared_ptr<ViewCaller>& caller) {
    if (!value.hasObject()) return value;
    return mapped(value, 0, [&](const Value& v) {
        if (v.isTable()) caller->tables.add(Ref<Table>(&v.table()));
        if (v.isScalar() && v.type() == Type::Code) refuse("metacode");
        if (v.isScalar() && v.type() == Type::DataSource) refuse("data source");
        if (isInstance(v)) refuse("instance of a class");
        if (isDatabaseHandle(v)) refuse("handle of a database");
        if (!v.isFunction()) return v;
        const auto* builtin = dynamic_cast<const BuiltinFunction*>(&v.function());
        if (builtin && builtin->declaration().effect == Effect::Pure) return v;
        return Value::of(Ref<Function>(makeRef<CallerFunction>(Ref<Function>(&v.function()), caller)));
    });
}

Value unguardedValue(const Value& value, const ViewCaller& caller) {
    if (!value.hasObject()) return value;
    return mapped(value, 0, [&](const Value& v) {
        const auto* own = v.isFunction() ? dynamic_cast<const CallerFunction*>(&v.function()) : nullptr;
        return own && &own->caller() == &caller ? Value::of(own->function()) : v;
    });
}

}  // namespace pelorus
