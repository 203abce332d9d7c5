// Functions about the session: facts of it, which become constants of the query, and its advisory locks.
// SelectTranslator's part.
#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/table_names.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/parse/sequence_literals.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/select_translator.h"
#include "runtime/append/table_transaction.h"
#include "runtime/code/expression.h"

namespace pelorus::postgres {

namespace {

Typed named(std::string_view text) {
    return typedConstant(textValue(text), oid::kName);
}

// What a function of this name does; false when it is none of them.
struct AdvisoryFunction {
    AdvisoryVerb verb = AdvisoryVerb::LockSession;
    bool isShared = false;
    bool tries = false;
};

bool parseName(std::string_view name, AdvisoryFunction& function) {
    const auto take = [&](std::string_view part) {
        if (!name.starts_with(part)) return false;
        name.remove_prefix(part.size());
        return true;
    };
    if (!take("pg_")) return false;
    function.tries = take("try_");
    if (!take("advisory_")) return false;
    const bool isOfTransaction = take("xact_");
    const bool isUnlock = !isOfTransaction && !function.tries && take("unlock");
    if (!isUnlock && !take("lock")) return false;
    function.verb = isUnlock          ? AdvisoryVerb::Unlock
                    : isOfTransaction ? AdvisoryVerb::LockTransaction
                                      : AdvisoryVerb::LockSession;
    if (isUnlock && take("_all")) function.verb = AdvisoryVerb::UnlockAll;
    function.isShared = take("_shared");
    return name.empty();
}

}  // namespace

Typed SelectTranslator::currentSchema() const {
    std::vector<std::string> path = schemasOfPath(translation_.session(), translation_.context());
    std::erase(path, translation_.session().temporarySchema);
    return path.empty() ? typedConstant(Value(), oid::kName) : named(path[0]);
}

std::optional<Typed> SelectTranslator::sessionFunction(const std::string& name, const Json& list, int place) {
    const SessionFacts& session = translation_.session();
    const ConversionHost& host = translation_.host();
    if (list.empty()) {
        if (name == "version") return typedConstant(textValue("PostgreSQL 15.0 (Pelorus)"), oid::kText);
        if (name == "current_database" || name == "current_catalog") return named(session.database);
        if (name == "current_user" || name == "session_user" || name == "user" || name == "current_role")
            return named(session.user);
        if (name == "current_schema") return currentSchema();
        if (name == "pg_backend_pid") return typedConstant(Value::ofInt(session.processId), oid::kInt4);
        if (name == "inet_client_addr")
            return session.address.empty() ? typedConstant(Value(), oid::kInet)
                                           : typedConstant(textValue(session.address), oid::kInet);
        if (name == "pg_is_in_recovery" || name == "pg_is_wal_replay_paused")
            return typedConstant(Value::ofBool(false), oid::kBool);
        if (name == "pg_my_temp_schema")
            return typedConstant(
                Value::ofLong(session.temporarySchema.empty() ? 0 : schemaNumber(session.temporarySchema)), oid::kOid);
        if (name == "txid_current" || name == "pg_current_xact_id") return typedConstant(Value::ofLong(1), oid::kInt8);
        return {};
    }
    if (name == "current_schemas" && list.size() == 1) {
        const Typed implicit = value(list[0]);
        std::vector<ArrayItem> items;
        if (implicit.constant && !implicit.isNullConstant() && implicit.constant->integer() != 0)
            items.emplace_back("pg_catalog");
        const bool isWhole = !items.empty();
        for (std::string& schema : schemasOfPath(session, translation_.context()))
            if (isWhole || schema != session.temporarySchema) items.emplace_back(std::move(schema));
        return typedConstant(textValue(arrayText(items)), oid::kNameArray);
    }
    if (name == "set_config" && list.size() == 3 && session.set) return setConfig(list, place);
    if (name == "current_setting") {
        const Typed setting = convert(value(list[0]), oid::kText, -1, Conversion::Implicit, host);
        if (!setting.constant && setting.code->kind == NodeKind::Name && session.setting) {
            // A parameter: the setting is looked up when its value is known.
            const std::string step = translation_.freshName("pgSetting");
            const bool mayMiss = list.size() > 1;
            steps_.push_back({step,
                              {},
                              [name = static_cast<const Name&>(*setting.code).name, mayMiss, &session](
                                  const StepScope& scope, Context&) {
                                  const Value wanted = scope.get(name);
                                  if (wanted.isNull()) return Value::nullOf(Type::String);
                                  try {
                                      return textValue(session.setting(textOfValue(wanted)));
                                  } catch (const SqlError&) {
                                      if (mayMiss) return Value::nullOf(Type::String);
                                      throw;
                                  }
                              },
                              "current_setting"});
            return typedCode(nameNode(step), oid::kText, -1, place);
        }
        if (!setting.constant || setting.isNullConstant())
            throw SqlError(sql_state::kFeatureNotSupported, "current_setting takes a constant.", place);
        const std::string wanted(textOfValue(*setting.constant));
        if (!session.setting) return typedConstant(Value(), oid::kText);
        try {
            return typedConstant(textValue(session.setting(wanted)), oid::kText);
        } catch (const SqlError&) {
            if (list.size() > 1) return typedConstant(Value(), oid::kText);
            throw;
        }
    }
    return {};
}

// A call is a step that runs once in a statement, before its rows are read.
std::optional<Typed> SelectTranslator::setConfig(const Json& list, int place) {
    const SessionFacts& session = translation_.session();
    NodeList given;
    for (size_t i = 0; i < 3; ++i) {
        const Typed typed =
            convert(value(list[i]), i < 2 ? oid::kText : oid::kBool, -1, Conversion::Implicit, translation_.host());
        given.push_back(typed.constant ? constantNode(*typed.constant) : typed.code);
        if (given.back()->kind != NodeKind::Name && given.back()->kind != NodeKind::Constant)
            throw SqlError(sql_state::kFeatureNotSupported, "set_config takes constants, parameters and sub-queries",
                           place);
    }
    const std::string step = translation_.freshName("pgSetting");
    steps_.push_back({step,
                      {},
                      [given, &session](const StepScope& scope, Context&) {
                          const auto valueOf = [&](const NodeRef& code) {
                              return code->kind == NodeKind::Constant ? static_cast<const Constant&>(*code).value
                                                                      : scope.get(static_cast<const Name&>(*code).name);
                          };
                          const Value name = valueOf(given[0]), text = valueOf(given[1]), isLocal = valueOf(given[2]);
                          if (name.isNull())
                              throw SqlError("22004", "the name of the setting is NULL", -1, "Give its name.");
                          const std::string_view set = text.isNull() ? std::string_view() : textOfValue(text);
                          return textValue(
                              session.set(textOfValue(name), set, !isLocal.isNull() && isLocal.integer() != 0));
                      },
                      "set_config"});
    return typedCode(nameNode(step), oid::kText, -1, place);
}

// A call is a step that runs once in a statement.
std::optional<Typed> SelectTranslator::advisoryFunction(const std::string& name, const Json& list, int place) {
    AdvisoryFunction function;
    const SessionFacts& session = translation_.session();
    if (!parseName(name, function) || !session.advisory) return {};
    const bool hasNoKey = function.verb == AdvisoryVerb::UnlockAll;
    if (hasNoKey ? !list.empty() : list.empty() || list.size() > 2) return {};
    // A key of one number, or of two smaller ones, which are numbers of another space.
    std::vector<NodeRef> keys;
    for (const Json& item : list) {
        const Oid type = list.size() == 1 ? oid::kInt8 : oid::kInt4;
        Typed key = convert(value(item), type, -1, Conversion::Implicit, translation_.host());
        NodeRef code = key.constant ? constantNode(*key.constant) : key.code;
        if (code->kind != NodeKind::Name && code->kind != NodeKind::Constant) {
            throw SqlError(sql_state::kFeatureNotSupported,
                           fmt::format("{} takes constants, parameters and sub-queries", name), place);
        }
        keys.push_back(std::move(code));
    }
    const bool returnsWhether = function.tries || function.verb == AdvisoryVerb::Unlock;
    const std::string step = translation_.freshName("pgAdvisory");
    translation_.noteSession();
    steps_.push_back({step,
                      {},
                      [keys, function, returnsWhether, &session](const StepScope& scope, Context& context) {
                          AdvisoryLock lock{.isShared = function.isShared, .waits = !function.tries};
                          for (const NodeRef& key : keys) {
                              const Value number = key->kind == NodeKind::Constant
                                                       ? static_cast<const Constant&>(*key).value
                                                       : scope.get(static_cast<const Name&>(*key).name);
                              if (number.isNull())  // as any strict function: nothing happens
                                  return returnsWhether ? Value::nullOf(Type::Bool) : Value::nullOf(Type::String);
                              if (keys.size() > 1 && &key == &keys[0])
                                  lock.space = (uint64_t{1} << 32) | static_cast<uint32_t>(number.asLong());
                              else
                                  lock.number = static_cast<uint64_t>(number.asLong());
                          }
                          const bool isDone = session.advisory(function.verb, lock, context);
                          return returnsWhether ? Value::ofBool(isDone) : textValue("");
                      },
                      name});
    return typedCode(nameNode(step), returnsWhether ? oid::kBool : oid::kVoid, -1, place);
}

// Calls get a column of the rows, which says how many there are: each row has a number of its own. The column also
// keeps the engine from computing a call while it plans.
Typed SelectTranslator::sequenceValue(const std::string& name, const Json& arguments, int place) {
    translation_.noteSession();
    const size_t wanted = name == "lastval" ? 0 : name == "setval" ? 2 : 1;
    const bool isLongSetval = name == "setval" && arguments.size() == 3;
    if (arguments.size() != wanted && !isLongSetval)
        throw SqlError(sql_state::kUndefinedFunction,
                       fmt::format("function {} with {} arguments does not exist", name, arguments.size()), place);
    if (at_ != 0 || levels_[0].isGrouped)
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} behind groups, windows or sub-queries is not supported", name), place);
    NodeRef rows = nameNode("one");
    if (!ranges_.empty()) {
        if (ranges_[0].columns.empty())
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} here is not supported", name), place);
        rows = ranges_[0].columns[0].value.code;
    }
    NodeList given{std::move(rows)};
    std::string path;
    for (const std::string& schema : translation_.session().searchPath) path += (path.empty() ? "" : "\n") + schema;
    given.push_back(constantNode(textValue(path)));
    for (size_t i = 0; i < arguments.size(); ++i) {
        const auto literal = i == 0 ? sequenceLiteral(arguments[i]) : std::nullopt;
        const Oid type = i == 0 ? oid::kText : i == 1 ? oid::kInt8 : oid::kBool;
        given.push_back(literal
                            ? constantNode(textValue(*literal))
                            : convert(value(arguments[i]), type, -1, Conversion::Implicit, translation_.host()).code);
    }
    const char* const builtin = name == "nextval"   ? "pgNextval"
                                : name == "currval" ? "pgCurrval"
                                : name == "lastval" ? "pgLastval"
                                                    : "pgSetval";
    return typedCode(callNode(builtin, std::move(given)), oid::kInt8, -1, place);
}

}  // namespace pelorus::postgres
