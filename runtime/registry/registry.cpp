#include "runtime/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <unordered_set>

#include "common/error.h"
#include "common/nearest_name.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/node_functions.h"
#include "runtime/table/table.h"
#include "runtime/table/table_access.h"
#include "runtime/value/print.h"

namespace pelorus {

// Parses "mavg(X, window, [minPeriods=1])" to name and parameters.
static Signature parseSyntax(std::string_view syntax, std::string& name) {
    size_t open = syntax.find('(');
    name = std::string(syntax.substr(0, open));
    Signature signature;
    signature.mutatesFirst = name.back() == '!';
    std::string current;
    bool optional = false;
    auto finish = [&] {
        size_t begin = current.find_first_not_of(" ");
        if (begin != std::string::npos) {
            std::string string = current.substr(begin);
            // "..." is alone, or after the name of the parameter that repeats, which may then be left out.
            const bool repeats = string.ends_with("...");
            if (repeats) {
                signature.variadic = true;
                string.resize(string.size() - 3);
            }
            if (!string.empty()) {
                size_t equals = string.find('=');
                std::string parameter = string.substr(0, equals);
                while (!parameter.empty() && parameter.back() == ' ') parameter.pop_back();
                const bool isMutable = parameter.starts_with("mutable ");
                if (isMutable) parameter.erase(0, 8);
                signature.parameters.push_back(
                    {parameter, optional || repeats || equals != std::string::npos, isMutable, Value()});
            }
        }
        current.clear();
    };
    for (size_t i = open + 1; i < syntax.size(); ++i) {
        char c = syntax[i];
        if (c == '[') {
            optional = true;
        } else if (c == ',' || c == ')') {
            finish();
            if (c == ')') break;
        } else if (c == ']') {
            finish();
            optional = false;
            // "[a], [b]" and "[a, b]" both occur: the comma after the bracket ends nothing.
            if (i + 1 < syntax.size() && syntax[i + 1] == ',') ++i;
        } else {
            current += c;
        }
    }
    return signature;
}

static std::vector<std::string>& namesForNodes() {
    static std::vector<std::string> names;
    return names;
}

std::vector<std::string> nodeFunctionNames() {
    return namesForNodes();
}

FunctionRegistry& FunctionRegistry::instance() {
    static FunctionRegistry registry;
    return registry;
}

void FunctionRegistry::add(std::string_view syntax, Kernel kernel, const FunctionDoc& doc,
                           const Declaration& declaration) {
    make(syntax, kernel, doc, declaration);
}

void FunctionRegistry::add(std::string_view syntax, ElementwiseKernel kernel, const FunctionDoc& doc,
                           const Declaration& declaration) {
    Declaration whole = declaration;
    if (whole.takes[0].isAnything()) whole.takes[0] = kernel.takes;
    if (!whole.gives) whole.gives = kernel.gives;
    if (whole.scalar.empty()) whole.scalar = kernel.scalar;
    make(syntax, kernel.kernel, doc, whole);
}

BuiltinFunction& FunctionRegistry::make(std::string_view syntax, Kernel kernel, const FunctionDoc& doc,
                                        const Declaration& declaration) {
    auto function = makeRef<BuiltinFunction>();
    function->signature_ = parseSyntax(syntax, function->name_);
    function->signature_.aggregate = declaration.kind == FunctionKind::Aggregate;
    function->signature_.mutatesFirst |= declaration.mutatesFirst;
    function->signature_.elementwise =
        declaration.kind == FunctionKind::Elementwise || declaration.kind == FunctionKind::RowWise;
    function->signature_.orderSensitive = declaration.orderSensitive;
    function->syntax_ = std::string(syntax);
    function->kernel_ = kernel;
    Declaration whole = declaration;
    if (whole.facet == Facet::Undeclared) whole.facet = common_.facet;
    if (whole.effect == Effect::Undeclared) whole.effect = common_.effect;
    if (function->signature_.mutatesFirst && whole.effect == Effect::Pure) whole.effect = Effect::Writes;
    // An argument for a parameter of this name is a function, though a variable of that name exists.
    for (size_t i = 0; i < std::min<size_t>(function->signature_.parameters.size(), kDeclaredParameters); ++i) {
        const std::string& parameter = function->signature_.parameters[i].name;
        if (parameter == "func" || parameter == "F") whole.takes[i].special = Takes::Function;
    }
    function->declare(whole);
    function->doc_ = doc;
    std::string name = function->name_;
    if (findForNode(name)) throw InternalError("the function " + name + " is registered twice");
    if (function->declaration_.facet == Facet::Undeclared) {
        throw InternalError("the registration of " + name + " does not say who may call it (facet)");
    }
    recordTheme(name);
    const bool forNodes = declaration.facet == Facet::Node;
    if (forNodes) namesForNodes().push_back(name);
    Functions& functions = forNodes ? nodeFunctions_ : functions_;
    return *functions.emplace(name, std::move(function)).first->second;
}

void FunctionRegistry::alias(std::string_view name, std::string_view existing) {
    const BuiltinFunction& original = get(existing);
    auto function = makeRef<BuiltinFunction>();
    function->name_ = std::string(name);
    function->signature_ = original.signature_;
    function->syntax_ = std::string(name) + original.syntax_.substr(original.name_.size());
    function->kernel_ = original.kernel_;
    function->declare(original.declaration_);
    function->doc_ = original.doc_;
    recordTheme(name);
    functions_.emplace(std::string(name), std::move(function));
}

const BuiltinFunction* FunctionRegistry::find(std::string_view name) const {
    auto it = functions_.find(name);
    return it == functions_.end() ? nullptr : it->second.get();
}

const BuiltinFunction& FunctionRegistry::get(std::string_view name) const {
    if (const BuiltinFunction* f = find(name)) return *f;
    throw UserError(fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name),
                    adviceForName(name, NameUse::Called, {}));
}

const BuiltinFunction* FunctionRegistry::findForNode(std::string_view name) const {
    if (const BuiltinFunction* f = find(name)) return f;
    auto it = nodeFunctions_.find(name);
    return it == nodeFunctions_.end() ? nullptr : it->second.get();
}

const BuiltinFunction& FunctionRegistry::getForNode(std::string_view name) const {
    const BuiltinFunction* f = findForNode(name);
    return f ? *f : get(name);
}

std::vector<std::string_view> FunctionRegistry::names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, function] : functions_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string_view> FunctionRegistry::nearest(std::string_view name) const {
    return nearestNames(name, names());
}

// Moves the arguments that a call changes in place back to the caller, whether the call returns or throws.
class GivesBack {
public:
    GivesBack(const BuiltinFunction& function, std::span<Value> owners, std::vector<Value>& lent)
        : function_(function), owners_(owners), lent_(lent) {}
    ~GivesBack() {
        for (size_t i = 0; i < owners_.size(); ++i) {
            if (function_.changes(i)) owners_[i] = std::move(lent_[i]);
        }
    }
    GivesBack(const GivesBack&) = delete;
    GivesBack& operator=(const GivesBack&) = delete;

private:
    const BuiltinFunction& function_;
    std::span<Value> owners_;
    std::vector<Value>& lent_;
};

Role roleOf(std::string_view builtin) {
    const BuiltinFunction* f = FunctionRegistry::instance().find(builtin);
    return f ? f->declaration().role : Role::None;
}

Role roleOf(const NodeRef& callee) {
    return callee->kind == NodeKind::Name ? roleOf(static_cast<const Name&>(*callee).name) : Role::None;
}

FunctionFamily::FunctionFamily(FunctionRegistry& registry, Facet facet, Effect effect)
    : registry_(registry), before_(registry.common_) {
    registry.common_.facet = facet;
    registry.common_.effect = effect;
}

void BuiltinFunction::declare(const Declaration& declaration) {
    declaration_ = declaration;
    for (int i = 0; i < kDeclaredParameters; ++i) {
        if (!declaration.takes[static_cast<size_t>(i)].isAnything()) restricted_ = i + 1;
    }
}

void BuiltinFunction::requireTaken(std::span<const Value> arguments) const {
    const size_t count = std::min(arguments.size(), static_cast<size_t>(restricted_));
    for (size_t i = 0; i < count; ++i) {
        const Takes& takes = declaration_.takes[i];
        if (takes.accepts(arguments[i]) || isOmitted(arguments[i])) continue;
        const bool isForm = (typeSet(arguments[i].type()) & takes.types) != 0;
        throw UserError(static_cast<int>(i),
                        fmt::format("{} must be {}, but it is {}.",
                                    i < signature_.parameters.size() ? signature_.parameters[i].name : name_,
                                    takes.what, isForm ? typeString(arguments[i]) : typeName(arguments[i].type())),
                        isLiteral(arguments[i].type()) && (takes.types & typeSet(Type::Double)) != 0
                            ? "double(x) or long(x) makes numbers of strings."
                            : "");
    }
}

ResultType BuiltinFunction::typeFor(std::span<const TypedArgument> arguments) const {
    try {
        return declaration_.gives(arguments);
    } catch (const UserError&) {
        return {};
    }
}

const ScalarForm* BuiltinFunction::scalarForm(std::span<const TypedArgument> arguments) const {
    for (const ScalarForm& form : declaration_.scalar) {
        if (form.count != arguments.size()) continue;
        bool suits = true;
        for (size_t i = 0; suits && i < arguments.size(); ++i) suits = form.accepts(i, arguments[i].type);
        if (suits && typeFor(arguments) == ResultType::of(form.gives)) return &form;
    }
    return nullptr;
}

bool BuiltinFunction::applyScalarForm(std::span<const Value> arguments, Value& result) const {
    if (arguments.size() > ScalarForm::kMax) return false;
    std::array<TypedArgument, ScalarForm::kMax> typed;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].tagWord() != scalarTag(arguments[i].type())) return false;
        typed[i] = {.type = arguments[i].type()};
    }
    const ScalarForm* form = scalarForm({typed.data(), arguments.size()});
    return form && form->apply(arguments.data(), result);
}

// Returns the rights that a change of a shared table in place needs.
static std::span<const Right> rightsToChange(std::string_view function) {
    static constexpr std::array kInsert = {Right::Insert};
    static constexpr std::array kUpsert = {Right::Insert, Right::Update};
    static constexpr std::array kDelete = {Right::Delete};
    static constexpr std::array kUpdate = {Right::Update};
    if (function == "append!" || function == "tableInsert" || function == "push!") return kInsert;
    if (function == "upsert!") return kUpsert;
    if (function == "erase!" || function == "drop!" || function == "clear!" || function == "pop!") return kDelete;
    return kUpdate;
}

// A function such as append! returns the table that it changed: no value for a user who may not read it.
static Value readableResult(const Context& context, Value result) {
    const bool hidden = result.isTable() && !hasAccess(context, result.table(), Right::Read);
    return hidden ? Value() : result;
}

// Returns whether the function reveals no rows of a stored table that is passed to it: it reads the columns, passes the
// handle on, or checks the right that it needs by itself.
static bool leavesRows(std::string_view function) {
    static const std::unordered_set<std::string_view> kNames = {
        "schema",      "colNames",     "columnNames",   "cols",         "columns",          "typestr",
        "type",        "form",         "share",         "submitJob",    "submitJobEx",      "submitJobEx2",
        "scheduleJob", "call",         "partial",       "dict",         "executeQuery",     "sql",
        "sqlUpdate",   "sqlDelete",    "addColumn",     "dropColumns!", "setColumnComment", "setTableComment",
        "rename!",     "tableInsert",  "append!",       "upsert!",      "reorderColumns!",  "replaceColumn!",
        "restore",     "restoreTable", "getTableAccess"};
    return kNames.contains(function);
}

// Asks for the right to read the stored tables among the arguments, which is also that to count their rows.
static void requireStoredTables(const BuiltinFunction& function, const Context& context,
                                std::span<const Value> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].form() != Form::Table) continue;
        const PartitionedTable* stored = arguments[i].table().asPartitioned();
        if (!stored || function.changes(i) || leavesRows(function.name())) continue;
        stored->require(context.principal(), Right::Read);
    }
}

// Asks for the rights to the shared tables among the arguments, and within them.
static void requireTables(const BuiltinFunction& function, const Context& context, std::span<const Value> arguments) {
    const HeldValues held = function.declaration().facet == Facet::Files ? HeldValues::All : HeldValues::Shown;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const bool isChanged = function.changes(i);
        if (arguments[i].isTable() && isChanged) {
            for (const Right right : rightsToChange(function.name())) requireAccess(context, arguments[i], right);
        } else {
            requireAccessWithin(context, arguments[i], Right::Read, held);
        }
    }
}

// Replaces shared tables by snapshots, so that the rows stay as they are while the call lasts, whatever other sessions
// write.
void BuiltinFunction::readTables(std::span<Value> arguments) const {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Ref<MemoryTable> table(arguments[i].form() == Form::Table ? arguments[i].table().asMemory() : nullptr);
        if (!table || !table->lock || changes(i)) continue;
        const Value rows = Value::of(Ref<Table>(table->snapshot()));
        // A table that is passed twice has one snapshot.
        for (size_t other = i; other < arguments.size(); ++other) {
            if (asMemoryTable(arguments[other]) == table.get() && !changes(other)) arguments[other] = rows;
        }
    }
}

static bool mayWrite(const Declaration& declaration) {
    return declaration.effect == Effect::Writes || declaration.effect == Effect::Undeclared;
}

// A request that only reads may change what it made itself, and nothing else.
static void requireReadsOnly(const BuiltinFunction& function, const Context& context,
                             std::span<const Value> arguments) {
    const Principal& caller = context.request->principal();
    if (!caller.powers().readsOnly) return;
    bool changesOwn = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (!function.changes(i)) continue;
        const Value& changed = arguments[i];
        const MemoryTable* memory = changed.isTable() ? changed.table().asMemory() : nullptr;
        const bool isShared = changed.isTable() && (!memory || memory->lock);
        changesOwn = changesOwn || !isShared;
    }
    if (!changesOwn) caller.requireChanges(function.name());
}

void BuiltinFunction::requireFacet(const Principal& principal) const {
    // Clients compare the words of this message.
    if (declaration_.facet == Facet::Admin && !principal.powers().administers)
        throw UserError(fmt::format("Only administrators execute function {}.", name_), "Log in as an administrator.");
    if (declaration_.facet == Facet::Files && !principal.powers().opensFiles) {
        throw UserError(fmt::format("<NoPrivilege>Guests cannot call {}, which reaches for files.", name_), "Log in.");
    }
}

Value BuiltinFunction::call(Context& context, std::span<Value> arguments) const {
    if (declaration_.facet > Facet::Public) requireFacet(context.principal());
    if (mayWrite(declaration_)) requireReadsOnly(*this, context, arguments);
    if (Value result; !declaration_.scalar.empty() && applyScalarForm(arguments, result)) return result;
    int given = static_cast<int>(arguments.size());
    int least = signature_.minArguments();
    // A place that was left out, as in f(1, ) or by a variable that holds nothing, counts as given: the kernel meets
    // the untyped NULL there, and for an optional parameter the mark. A place that keyword arguments skipped is
    // missing.
    bool missing = false;
    for (int i = 0; i < std::min(given, static_cast<int>(signature_.parameters.size())); ++i) {
        Value& v = arguments[static_cast<size_t>(i)];
        if (!isOmitted(v) || signature_.parameters[static_cast<size_t>(i)].optional) continue;
        missing |= v.extra() == skippedArgument().extra();
        v = Value();
    }
    if (given < least || given > signature_.maxArguments() || missing) {
        int most = signature_.maxArguments();
        std::string expects = most == INT_MAX ? fmt::format("at least {} argument(s)", least)
                              : most == least ? fmt::format("{} argument(s)", least)
                                              : fmt::format("{} to {} argument(s)", least, most);
        throw UserError(fmt::format("The function [{}] expects {}, but the actual number of arguments is: {}", name_,
                                    expects, given),
                        "Syntax: " + syntax_);
    }
    if (restricted_ > 0) requireTaken(arguments);
    requireStoredTables(*this, context, arguments);
    requireTables(*this, context, arguments);
    if (!declaration_.takesSharedTables) readTables(arguments);
    if (!signature_.variadic && given < static_cast<int>(signature_.parameters.size())) {
        // Kernels see every parameter: missing optional ones are marked, otherwise than those that a comma leaves out.
        std::vector<Value> all(signature_.parameters.size(), skippedArgument());
        for (int i = 0; i < given; ++i) all[static_cast<size_t>(i)] = std::move(arguments[static_cast<size_t>(i)]);
        const GivesBack whatChanges(*this, arguments, all);
        return changes(0) ? readableResult(context, kernel_(context, all)) : kernel_(context, all);
    }
    return changes(0) ? readableResult(context, kernel_(context, arguments)) : kernel_(context, arguments);
}

static Ref<Portable> loadBuiltin(const Value& saved) {
    if (!saved.isString()) throw UserError("A built-in function arrived without its name.");
    return Ref<Portable>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().getForNode(saved.string())));
}

[[maybe_unused]] static const bool registered = (registerPortable("builtin", loadBuiltin), true);

}  // namespace pelorus
