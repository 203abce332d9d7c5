#include "server/postgres/copy/copy_form.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "postgres/sql_error.h"

namespace pelorus::postgres {
namespace {

std::string lowered(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool isOn(const Option& option) {
    const std::string word = lowered(option.value);
    return word.empty() || word == "true" || word == "on" || word == "1" || word == "match";
}

char oneCharacter(const Option& option) {
    if (option.value.size() == 1 && option.value[0] != '\n' && option.value[0] != '\r') return option.value[0];
    throw SqlError(sql_state::kFeatureNotSupported, "COPY " + option.name + " must be a single one-byte character");
}

// Adds the names of a list, which have commas between them.
void addNames(std::vector<std::string>& names, std::string_view list) {
    for (;;) {
        const size_t comma = list.find(',');
        names.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return;
        list.remove_prefix(comma + 1);
    }
}

void takeFormat(CopyForm& form, std::string_view value) {
    const std::string format = lowered(value);
    if (format == "csv") {
        form.kind = CopyForm::Kind::Csv;
        form.delimiter = ',';
        form.null.clear();
    } else if (format == "binary") {
        form.kind = CopyForm::Kind::Binary;
    } else if (format != "text") {
        throw SqlError(sql_state::kInvalidParameter, "COPY format \"" + std::string(value) + "\" not recognized");
    }
}

void takeOption(CopyForm& form, const Option& option) {
    if (option.name == "format" || option.name == "freeze") return;
    if (option.name == "delimiter") {
        form.delimiter = oneCharacter(option);
    } else if (option.name == "null") {
        form.null = option.value;
    } else if (option.name == "header") {
        form.hasHeader = isOn(option);
        form.matchesHeader = lowered(option.value) == "match";
    } else if (option.name == "quote") {
        form.quote = form.escape = oneCharacter(option);
    } else if (option.name == "escape") {
        form.escape = oneCharacter(option);
    } else if (option.name == "force_quote") {
        form.quotesAll = option.value == "*" || option.value.empty();
        if (!form.quotesAll) addNames(form.quoted, option.value);
    } else if (option.name == "force_not_null") {
        addNames(form.neverNull, option.value);
    } else if (option.name == "force_null") {
        addNames(form.nullInQuotes, option.value);
    } else if (option.name == "encoding") {
        if (lowered(option.value) != "utf8" && lowered(option.value) != "utf-8")
            throw SqlError(sql_state::kInvalidParameter, "COPY is in UTF8 alone");
    } else {
        throw SqlError(sql_state::kSyntaxError, "option \"" + option.name + "\" not recognized");
    }
}

}  // namespace

CopyForm copyFormOf(const Statement& statement) {
    CopyForm form;
    for (const Option& option : statement.options)
        if (option.name == "format") takeFormat(form, option.value);
    for (const Option& option : statement.options) takeOption(form, option);
    if (form.kind == CopyForm::Kind::Binary && statement.options.size() > 1) {
        for (const Option& option : statement.options)
            if (option.name == "delimiter" || option.name == "null" || option.name == "header")
                throw SqlError(sql_state::kSyntaxError, "cannot specify " + option.name + " in BINARY mode");
    }
    return form;
}

}  // namespace pelorus::postgres
