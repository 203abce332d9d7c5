// Functions on the names that a session knows: variables, functions, shared objects.
#include <fmt/format.h>

#include <cctype>
#include <optional>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "runtime/format/object_kind.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

// VAR, SHARED, DEF: as the constant, or as text.
enum class NameKind : uint8_t { Variable, Shared, Function };

NameKind kindArgument(const Value& v) {
    if (isOmitted(v) || v.isVoid()) return NameKind::Variable;
    if (v.isString()) {
        if (v.string() == "VAR") return NameKind::Variable;
        if (v.string() == "SHARED") return NameKind::Shared;
        if (v.string() == "DEF") return NameKind::Function;
    } else if (v.isScalar() && isIntegral(v.type()) && v.integer() >= 0 && v.integer() <= 2) {
        return static_cast<NameKind>(v.integer());
    }
    throw UserError(1, "The type must be VAR, SHARED or DEF.");
}

bool isKnown(std::string_view name, NameKind kind, Context& context) {
    const Session& session = sessionOf(context);
    Value ignored;
    if (kind == NameKind::Function) {
        return session.findFunction(name) || FunctionRegistry::instance().find(name);
    }
    if (kind == NameKind::Variable) return session.findVariable(name) >= 0;
    auto* shared = context.service<SharedObjects>();
    return shared && shared->find(name, ignored);
}

Value definedKernel(Context& context, Arguments arguments) {
    const Value& names = arguments[0];
    if (!isLiteral(names.type())) throw UserError(0, "names must be a string or a vector of strings.");
    const NameKind kind = kindArgument(arguments[1]);
    if (names.isScalar()) return Value::ofBool(isKnown(names.string(), kind, context));
    std::vector<Value> all;
    for (int64_t i = 0; i < names.size(); ++i) {
        all.push_back(Value::ofBool(isKnown(names.at(i).string(), kind, context)));
    }
    return listOf(std::move(all));
}

void undefAll(const Value& kindGiven, Context& context) {
    Session& session = sessionOf(context);
    auto* shared = context.service<SharedObjects>();
    const bool everything = isOmitted(kindGiven) || kindGiven.isVoid();
    const NameKind kind = kindArgument(kindGiven);
    if (everything || kind == NameKind::Variable) session.clearVariables();
    if (everything || kind == NameKind::Function) {
        for (const std::string& name : session.functionNames()) session.eraseFunction(name);
    }
    if (kind == NameKind::Shared && shared) {
        for (const std::string& name : shared->names()) {
            try {
                shared->erase(name, context.principal());
            } catch (const UserError&) {
                // Controlled, and another user's: "all" means those that the user may release.
            }
        }
    }
}

Value undefKernel(Context& context, Arguments arguments) {
    Session& session = sessionOf(context);
    auto* shared = context.service<SharedObjects>();
    const Value names = arguments[0];
    if (!isLiteral(names.type())) throw UserError(0, "names must be a string or a vector of strings.");
    if (names.isScalar() && names.string() == "all") {
        undefAll(arguments[1], context);
        return Value();
    }
    const NameKind kind = kindArgument(arguments[1]);
    for (int64_t i = 0; i < names.size(); ++i) {
        const std::string name(names.at(i).string());
        bool done = kind == NameKind::Shared     ? shared && shared->erase(name, context.principal())
                    : kind == NameKind::Function ? session.eraseFunction(name)
                                                 : session.eraseVariable(name);
        // A set-up deletes the objects that earlier runs shared, if any.
        if (!done && kind != NameKind::Shared) {
            throw UserError(0, fmt::format("There is no {} to undefine.", name));
        }
    }
    return Value();
}

// ---- objs

Value memSizeKernel(Context&, Arguments a) {
    return Value::ofLong(memoryBytesOf(a[0]));
}

// Builder of the table that objs returns, row by row.
class ObjectList {
public:
    void add(const std::string& name, const Value& v, bool shared, std::string owner = "") {
        owners_.push_back(std::move(owner));
        names_.push_back(name);
        types_.push_back(objectType(v));
        forms_.push_back(objectForm(v));
        const bool partitioned = v.isTable() && v.table().asPartitioned();
        rows_.push_back(static_cast<int32_t>(objectRows(v)));
        columns_.push_back(static_cast<int32_t>(objectColumns(v)));
        bytes_.push_back(memoryBytesOf(v));
        shared_.push_back(shared ? 1 : 0);
        std::string path;
        if (partitioned) path = v.table().asPartitioned()->databasePath() + "/" + v.table().name;
        extras_.push_back(std::move(path));
    }

    Value table(bool withOwner) const {
        std::vector<std::string> heads = {"name", "type", "form", "rows", "columns", "bytes", "shared", "extra"};
        std::vector<Value> columns = {
            Value::of(Vector::ofStrings(names_)),       Value::of(Vector::ofStrings(types_)),
            Value::of(Vector::ofStrings(forms_)),       Value::of(Vector::of(Type::Int, rows_)),
            Value::of(Vector::of(Type::Int, columns_)), Value::of(Vector::of(Type::Long, bytes_)),
            Value::of(Vector::of(Type::Bool, shared_)), Value::of(Vector::ofStrings(extras_))};
        if (withOwner) {
            heads.emplace_back("owner");
            columns.push_back(Value::of(Vector::ofStrings(owners_)));
        }
        return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(heads), std::move(columns))));
    }

private:
    std::vector<std::string> names_, types_, forms_, extras_, owners_;
    std::vector<int32_t> rows_, columns_;
    std::vector<int64_t> bytes_;
    std::vector<int8_t> shared_;
};

bool isSet(const Value& flag) {
    return !isOmitted(flag) && !flag.isVoid() && flag.isScalar() && flag.asLong() == 1;
}

Value objsKernel(Context& context, Arguments arguments) {
    Session& session = sessionOf(context);
    const bool withShared = isSet(arguments[0]);
    ObjectList list;
    for (const std::string& name : session.variableNames()) {
        list.add(name, session.variable(session.findVariable(name)), false);
    }
    auto* shared = withShared ? context.service<SharedObjects>() : nullptr;
    if (shared) {
        for (const std::string& name : shared->names()) {
            Value v;
            try {
                if (shared->find(name, v, context.principal())) list.add(name, v, true, shared->ownerOf(name));
            } catch (const UserError&) {
                // The user has no right to it.
            }
        }
    }
    return list.table(withShared);
}

// ---- names at run time

Value objByNameKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "name must be a string.");
    const std::string_view name = arguments[0].string();
    const bool chosen = !isOmitted(arguments[1]) && !arguments[1].isVoid();
    const bool sharedOnly = isSet(arguments[1]);
    Value value;
    if (!sharedOnly) {
        // Variables of the calling function count before those of the session.
        if (!chosen && context.scope && context.scope->lookup(name, value)) return value;
        Session& session = sessionOf(context);
        const int slot = session.findVariable(name);
        if (slot >= 0) return session.variable(slot);
    }
    auto* shared = context.service<SharedObjects>();
    if ((!chosen || sharedOnly) && shared && shared->find(name, value, context.principal())) return value;
    throw UserError(0, fmt::format("Can't find the object with name {}", name));
}

// syntax(X): the call of a function as its documentation has it.
Value syntaxKernel(Context& context, Arguments arguments) {
    Value found = arguments[0];
    if (found.isString()) {
        const std::string name(found.string());
        if (!sessionOf(context).lookupFunction(name, found)) {
            found = Value::of(Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get(name))));
        }
    }
    if (!found.isFunction()) throw UserError(0, "X must be a function or the name of one.");
    const Function& f = found.function();
    if (const auto* builtin = dynamic_cast<const BuiltinFunction*>(&f)) return Value::ofString(builtin->syntax());
    std::string parameters;
    for (const Parameter& p : f.signature().parameters) {
        parameters += parameters.empty() ? "" : ", ";
        parameters += p.optional ? "[" + p.name + "]" : p.name;
    }
    return Value::ofString(fmt::format("{}({})", f.name(), parameters));
}

// refCount(varname)
Value refCountKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "varname must be a string.");
    Session& session = sessionOf(context);
    const int slot = session.findVariable(arguments[0].string());
    if (slot < 0) throw UserError(0, fmt::format("Can't find the object with name {}", arguments[0].string()));
    const Value& v = session.variable(slot);
    int32_t count = 0;
    for (const std::string& name : session.variableNames()) {
        const Value& other = session.variable(session.findVariable(name));
        count += v.hasObject() && other.hasObject() && other.object() == v.object();
    }
    return Value::ofInt(std::max(count, 1));
}

Value shareKernel(Context& context, Arguments arguments) {
    if (!arguments[1].isString()) throw UserError(1, "sharedName must be a string.");
    if (!arguments[0].isTable()) throw UserError(0, "table must be a table.");
    shareObject(arguments[0], std::string(arguments[1].string()), context);
    return Value();
}

// addAccessControl(table|name)
Value addAccessControlKernel(Context& context, Arguments arguments) {
    auto* shared = context.service<SharedObjects>();
    const Value& given = arguments[0];
    Value object = given;
    std::vector<std::string> names;
    if (given.isString()) {
        names.emplace_back(given.string());
        if (!shared || !shared->find(given.string(), object)) object = Value();
    }
    if (shared && names.empty() && given.isTable()) names = shared->namesOf(given.table());
    if (!object.isTable() || names.empty()) {
        throw UserError(0, "table must be a table that sessions share, or its name.", "Share it first: share t as st.");
    }
    const Principal& principal = context.principal();
    for (const std::string& name : names) {
        const std::string owner = shared->ownerOf(name);
        if (principal.administers() || (!principal.isGuest() && principal.user() == owner)) continue;
        throw UserError(fmt::format("<NoPrivilege>The shared table {} belongs to {}.", name, owner),
                        "Its owner or an administrator can control the access to it.");
    }
    for (const std::string& name : names) shared->controlAccess(name);
    return Value();
}

Value defsKernel(Context& context, Arguments arguments) {
    const bool filtered = !isOmitted(arguments[0]) && !arguments[0].isVoid();
    if (filtered && !arguments[0].isString()) throw UserError(0, "X must be a string with % and ? as wildcards.");
    std::vector<std::string> names, syntaxes;
    std::vector<int8_t> commands, own;
    std::vector<int32_t> least, most;
    auto add = [&](std::string name, const Function& f, bool isOwn) {
        const Signature& signature = f.signature();
        std::string parameters;
        for (const Parameter& p : signature.parameters) {
            parameters += parameters.empty() ? "" : ", ";
            parameters += p.optional ? "[" + p.name + "]" : p.name;
        }
        names.push_back(std::move(name));
        commands.push_back(0);
        own.push_back(isOwn ? 1 : 0);
        least.push_back(signature.minArguments());
        most.push_back(signature.variadic ? std::numeric_limits<int16_t>::max() : signature.maxArguments());
        syntaxes.push_back("(" + parameters + (signature.variadic ? "..." : "") + ")");
    };
    std::vector<std::pair<std::string, Ref<Function>>> all;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        all.emplace_back(name, Ref<Function>());
    }
    Session& session = sessionOf(context);
    for (const std::string& name : session.functionNames()) all.emplace_back(name, session.findFunction(name));
    for (const Ref<Module>& module : session.modules()) {
        for (const auto& [name, function] : module->functions) all.emplace_back(module->name + "::" + name, function);
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const BuiltinFunction& like = FunctionRegistry::instance().get("like");
    for (const auto& [name, function] : all) {
        if (filtered) {
            std::vector<Value> pair{Value::ofString(name), arguments[0]};
            if (like.call(context, pair).integer() != 1) continue;
        }
        const Function& known =
            function ? *function : static_cast<const Function&>(FunctionRegistry::instance().get(name));
        add(name, known, static_cast<bool>(function));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "isCommand", "userDefined", "minParamCount", "maxParamCount", "syntax"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::of(Type::Bool, commands)),
                           Value::of(Vector::of(Type::Bool, own)), Value::of(Vector::of(Type::Int, least)),
                           Value::of(Vector::of(Type::Int, most)), Value::of(Vector::ofStrings(syntaxes))})));
}

Value runScriptKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "script must be the text of a script.");
    return evaluate(arguments[0].string(), sessionOf(context), context);
}

// Sets variables of the session to other values for its lifetime.
class BorrowedNames {
public:
    explicit BorrowedNames(Session& session) : session_(session) {}
    ~BorrowedNames() {
        for (auto& [name, before] : before_) {
            if (before) {
                session_.setVariable(name, std::move(*before));
            } else {
                session_.eraseVariable(name);
            }
        }
    }
    BorrowedNames(const BorrowedNames&) = delete;
    BorrowedNames& operator=(const BorrowedNames&) = delete;

    void set(const std::string& name, const Value& value) {
        const int slot = session_.findVariable(name);
        before_.emplace_back(name, slot < 0 ? std::optional<Value>() : session_.variable(slot));
        session_.setVariable(name, value);
    }

private:
    Session& session_;
    std::vector<std::pair<std::string, std::optional<Value>>> before_;
};

bool isIdentifier(std::string_view name) {
    return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// runSQL(X, [sqlStd], [variables]): `variables` are passed to X as values, never inserted into its source text.
Value runSqlKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "X must be the text of a script.");
    std::string dialect = "ddb";
    if (!isOmitted(arguments[1]) && !arguments[1].isVoid()) {
        if (!arguments[1].isString()) throw UserError(1, "sqlStd must be ddb, oracle or mysql.");
        dialect = arguments[1].string();
        std::transform(dialect.begin(), dialect.end(), dialect.begin(),
                       [](unsigned char c) { return std::tolower(c); });
    }
    if (dialect != "ddb" && dialect != "oracle" && dialect != "mysql") {
        throw UserError(1, "sqlStd must be ddb, oracle or mysql, but it is " + dialect + ".");
    }
    Session& session = sessionOf(context);
    struct DialectScope {
        Session& session;
        const bool before;
        ~DialectScope() { session.ignoresCaseOfFunctions = before; }
    } scope{session, session.ignoresCaseOfFunctions};
    session.ignoresCaseOfFunctions = dialect != "ddb";
    BorrowedNames names(session);
    const Value& variables = arguments[2];
    if (!isOmitted(variables) && !variables.isVoid()) {
        if (!variables.isDictionary() || !isLiteral(variables.dictionary().keyType())) {
            throw UserError(2, "variables must be a dictionary of names and values.");
        }
        const Dictionary& given = variables.dictionary();
        for (int64_t i = 0; i < given.size(); ++i) {
            const std::string name(given.keyAt(i).string());
            if (!isIdentifier(name)) throw UserError(2, "'" + name + "' is no name of a variable.");
            names.set(name, given.valueAt(i));
        }
    }
    return evaluate(arguments[0].string(), session, context);
}

// callOnVariable(name, function, arguments): calls function(<the variable>, arguments...), which may change the
// variable in place. A variable of the session takes precedence over a shared object.
Value callOnVariableKernel(Context& context, Arguments arguments) {
    const std::string name = received::string(arguments[0], "name");
    const Ref<Function> function = received::function(arguments[1], "function");
    std::vector<Value> all{Value()};
    const std::vector<Value>& rest = received::tuple(arguments[2], "arguments");
    all.insert(all.end(), rest.begin(), rest.end());
    auto* session = static_cast<Session*>(context.session);
    const int slot = session ? session->findVariable(name) : -1;
    if (slot < 0) {
        auto* shared = context.service<SharedObjects>();
        if (!shared || !shared->find(name, all[0], context.principal())) {
            throw UserError(0, fmt::format("Can't find the object with name {}", name));
        }
        return function->call(context, all);
    }
    // The variable has one owner meanwhile, so that it is changed in place and not copied.
    struct Lent {
        Value& variable;
        Value& place;
        ~Lent() { variable = std::move(place); }
    };
    all[0] = std::move(session->variable(slot));
    const Lent lent{session->variable(slot), all[0]};
    return function->call(context, all);
}

// run(scriptFile, [newSession=false], [clean=true])
Value runKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "scriptFile must be the path of a script.");
    if (!context.principal().administers()) context.principal().require(Right::ExecuteScript);
    const std::string text = readWholeFile(userFiles(context), std::string(arguments[0].string()));
    if (isSet(arguments[1])) {
        Session fresh(*context.services);
        evaluate(text, fresh, context);
        return Value();
    }
    Session& session = sessionOf(context);
    const bool keeps = !isOmitted(arguments[2]) && !arguments[2].isVoid() && !isSet(arguments[2]);
    if (!keeps) session.clearVariables();
    evaluate(text, session, context);
    return Value();
}

}  // namespace

void registerNameBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "defined(names, [type=VAR])", definedKernel,
        {.summary = "Whether there is a variable (VAR), shared object (SHARED) or function (DEF) of that name.",
         .example = "defined(`sum, DEF) -> true\ndefined(`noSuchName) -> false"},
        kReads);
    registry.add("undef(obj, [objType=VAR])", undefKernel,
                 {.summary = "Releases variables (VAR), shared objects (SHARED) or functions (DEF) by name; \"all\" of "
                             "them.",
                  .errors = "There is no variable or function of that name.",
                  .example = "x = 5; undef(`x); defined(`x) -> false"});
    registry.add("objs([shared=false])", objsKernel,
                 {.summary = "A table of the session's variables, and with `shared` of those that sessions share.",
                  .units = "bytes",
                  .example = "prices = 101.5 102.25; exec bytes from objs() where name = \"prices\" -> [16]"},
                 kReads);
    registry.add("memSize(obj)", memSizeKernel,
                 {.summary = "The memory that a value takes.", .units = "bytes", .example = "memSize(1..10) -> 40"},
                 kReads);
    registry.add("syntax(X)", syntaxKernel,
                 {.summary = "How a function is called, as STRING: its name and parameters, optional ones in brackets.",
                  .parameters = "X: a function, or its name",
                  .errors = "There is no such function.",
                  .example = "syntax(hex) -> hex(X, [reverse=false])"},
                 {.effect = Effect::Pure});
    registry.add("refCount(varname)", refCountKernel,
                 {.summary = "How many variables of the session hold the object of a variable, as INT.",
                  .errors = "There is no such variable.",
                  .example = "x = 1 2 3; refCount(\"x\") -> 1"},
                 kReads);
    registry.add("objByName(name, [sharedVar])", objByNameKernel,
                 {.summary = "The variable or shared object of that name, looked up when the call runs.",
                  .parameters = "sharedVar: true for shared objects only, false for variables only",
                  .errors = "There is none.",
                  .example = "prices = 101.5 102.25; objByName(\"prices\") -> [101.5,102.25]"},
                 {.effect = Effect::Stable, .role = Role::ObjectByName});
    registry.add(
        "share(table, sharedName, [database], [dbName], [partitionColumn])", shareKernel,
        {.summary = "Makes a table visible to all sessions under a name, as the share statement does.",
         .parameters = "table: a table\n"
                       "sharedName: the name, a STRING\n"
                       "database: has no effect\n"
                       "dbName: has no effect\n"
                       "partitionColumn: has no effect",
         .errors = "The first argument is no table; the name is that of another user's table whose access is "
                   "controlled; with enableSharedVarCreationControl the user lacks CREATE_SHARED_VAR.",
         .example =
             "share(table(1 2 as v), `limits); total = exec sum(v) from limits; undef(`limits, SHARED); total -> 3"},
        {.effect = Effect::Writes, .role = Role::Share, .takesSharedTables = true});
    registry.add(
        "addAccessControl(table|name)", addAccessControlKernel,
        {.summary = "Closes a shared table to all users but its owner, those who are granted a right to it, and "
                    "admin.",
         .parameters = "table|name: the shared table, or its name",
         .errors = "It is no shared table; the user neither owns it nor is an administrator.",
         .complexity = "O(1)",
         .example = "share table(`AAPL`MSFT as sym, 100 200 as qty) as positions; addAccessControl(`positions)"},
        {.effect = Effect::Writes, .takesSharedTables = true});
    registry.add("defs([X])", defsKernel,
                 {.summary = "A table of built-in and user functions whose names are like X.",
                  .parameters = "X: % matches any string, ? one character",
                  .example = "exec syntax from defs(\"mavg\") -> [\"(X, window, [minPeriods])\"]"},
                 kReads);
    registry.add("runScript(script)", runScriptKernel,
                 {.summary = "Runs the text of a script in this session; the value of its last expression.",
                  .errors = "What the script meets.",
                  .example = "runScript(\"prices = 10 20 60; avg(prices)\") -> 30"});
    registry.add(
        "runSQL(X, [sqlStd='ddb'], [variables])", runSqlKernel,
        {.summary = "Runs the text of a query, or of several statements, with values for names in it.",
         .parameters = "sqlStd: ddb, oracle or mysql; all are read as ddb, whose names and operators they share, but "
                       "the latter two ignore the case of functions, as in SYSDATE()\n"
                       "variables: a dictionary of names and values; a value is never read as text of the query",
         .errors = "What the query meets; a name is none of a variable.",
         .example = "runSQL(\"select sum(x) as s from t where x > low\", , {t: table(1 2 3 as x), low: 1}).s -> [5]"});
    registry.add("callOnVariable(name, function, arguments)", callOnVariableKernel,
                 {.summary = "Applies a function that changes its first argument to a variable that is named."},
                 kForNodes);
    registry.add("run(scriptFile, [newSession=false], [clean=true])", runKernel,
                 {.summary = "Runs a script from a file, in this session or in one of its own.",
                  .parameters = "clean: drops the session's variables first",
                  .errors = "The file can't be read, or what the script meets.",
                  .example = "run(\"/data/scripts/import.dos\")"},
                 {.effect = Effect::Writes, .facet = Facet::Files});
}

}  // namespace pelorus
