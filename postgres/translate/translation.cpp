#include "postgres/translate/translation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/view_names.h"
#include "postgres/functions/conversions.h"
#include "postgres/parse/parsed_statement.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

constexpr int kMaxParameters = 65'535;

Translation::Translation(const SessionFacts& session, Context& context, std::span<const Oid> givenTypes)
    : session_(&session), context_(context), types_(givenTypes.begin(), givenTypes.end()) {
    for (Oid& type : types_)
        if (type == oid::kUnknown) type = 0;
    host_.decideParameter = [this](int number, Oid type) {
        Oid& decided = types_[static_cast<size_t>(number) - 1];
        if (decided == 0) decided = type;
    };
    host_.numberOfName = [this](Oid type, const std::string& name) {
        noteSession();
        return numberOfName(type, name, *session_, context_);
    };
    host_.numberOfText = [this](NodeRef name, Oid type) {
        noteSession();
        return callNode("pgNumberOfName", {std::move(name), constantNode(Value::ofLong(type)),
                                           constantNode(textValue(joinedSearchPath(*session_)))});
    };
    host_.nameOfNumber = [this](NodeRef number, Oid type) {
        noteSession();
        return callNode("pgNameOfNumber", {std::move(number), constantNode(Value::ofLong(type)),
                                           constantNode(textValue(joinedSearchPath(*session_)))});
    };
}

FoundTable Translation::findTable(const std::string& schema, const std::string& name, int place) {
    FoundTable found = postgres::findTable(schema, name, *session_, context_, place);
    tables_.push_back({found.schema, found.name});
    findings_.push_back({{schema, name}, found});
    return found;
}

std::optional<std::vector<TableFinding>> Translation::findings() const {
    if (isOfSession_) return {};
    return findings_;
}

Typed Translation::parameter(int number, int place) {
    if (number < 1 || number > kMaxParameters)
        throw SqlError(sql_state::kUndefinedParameter, fmt::format("there is no parameter ${}", number), place);
    if (types_.size() < static_cast<size_t>(number)) types_.resize(static_cast<size_t>(number));
    const Oid type = types_[static_cast<size_t>(number) - 1];
    NodeRef code = nameNode(parameterName(number));
    if (type != 0) {
        Typed typed = typedCode(std::move(code), type, -1, place);
        // A parameter of numeric has any scale: it is given one.
        if (type == oid::kNumeric) {
            typed.code =
                callNode("pgNumeric", {typed.code, constantNode(Value::ofInt(10)), constantNode(Value::ofInt(38))});
            typed.scale = 10;
            typed.modifier = kOwnScales;
        }
        return typed;
    }
    Typed typed;
    typed.code = std::move(code);
    typed.parameter = number;
    typed.place = place;
    return typed;
}

Typed Translation::literalParameter(int number, Oid type, int scale, int place) {
    CHECK(number >= 1 && number <= kMaxParameters);
    if (types_.size() < static_cast<size_t>(number)) types_.resize(static_cast<size_t>(number));
    types_[static_cast<size_t>(number) - 1] = type;
    Typed typed = typedCode(nameNode(parameterName(number)), type, -1, place);
    typed.scale = scale;
    typed.isNullable = false;
    return typed;
}

std::vector<Oid> Translation::parameterTypes() const {
    for (size_t i = 0; i < types_.size(); ++i)
        if (types_[i] == 0)
            throw SqlError(sql_state::kIndeterminateDatatype,
                           fmt::format("could not determine data type of parameter ${}", i + 1));
    return types_;
}

std::optional<ViewEntry> Translation::findView(const std::string& schema, const std::string& name) const {
    return postgres::findView(schema, name, *session_, context_);
}

Translation::WithinView::WithinView(Translation& translation, const ViewEntry& view)
    : translation_(translation), before_(translation.session_), session_(*translation.session_) {
    const std::string name = view.database + "\n" + view.name;
    auto& open = translation.openViews_;
    if (std::find(open.begin(), open.end(), name) != open.end())
        throw SqlError("42P17", fmt::format("infinite recursion detected in rules for relation \"{}\"", view.name));
    const auto statements = parseStatements(view.query);
    CHECK(statements.size() == 1) << "a view is one query";
    query_ = statements[0]->tree;
    translation.viewQueries_.push_back(query_);
    session_.searchPath = view.searchPath;
    open.push_back(name);
    translation.session_ = &session_;
}

Translation::WithinView::~WithinView() {
    translation_.session_ = before_;
    translation_.openViews_.pop_back();
}

Translation::Depth::Depth(Translation& translation) : translation_(translation) {
    if (++translation_.depth_ > kMaxDepth) {
        --translation_.depth_;
        throw SqlError(sql_state::kTooComplex, "stack depth limit exceeded", -1, "The statement is nested too deep.");
    }
}

}  // namespace pelorus::postgres
