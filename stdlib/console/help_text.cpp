#include "stdlib/console/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/foreign_words.h"
#include "common/type_table.h"
#include "runtime/code/expression.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/name_advice.h"

namespace pelorus {

namespace {

constexpr size_t kWidth = 100;
constexpr std::string_view kTopicTheme = "statements";

// Breaks prose into lines of at most kWidth bytes, each after the first indented by `indent` blanks.
std::string wrapped(std::string_view string, size_t indent = 0) {
    std::string result;
    size_t column = indent;
    while (!string.empty()) {
        const size_t end = std::min(string.find(' '), string.size());
        if (column > indent && column + 1 + end > kWidth) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += string.substr(0, end);
        column += end;
        string.remove_prefix(std::min(end + 1, string.size()));
    }
    return result;
}

template <class Names>
std::string commaList(const Names& names) {
    std::string list;
    for (const auto& name : names) {
        list += list.empty() ? "" : ", ";
        list += name;
    }
    return list;
}

// Formats the lines of the documentation, each of which is "name: description", with the descriptions aligned.
std::string parameterLines(std::string_view parameters, const Signature& signature) {
    std::string lines;
    size_t width = 0;
    for (const Parameter& p : signature.parameters) width = std::max(width, p.name.size());
    while (!parameters.empty()) {
        const size_t end = std::min(parameters.find('\n'), parameters.size());
        const std::string_view line = parameters.substr(0, end);
        parameters.remove_prefix(std::min(end + 1, parameters.size()));
        const size_t colon = line.find(": ");
        lines += lines.empty() ? "" : "\n";
        if (colon == std::string_view::npos || colon > width) {
            lines += "  " + wrapped(line, 2);
            continue;
        }
        lines += fmt::format("  {:<{}}  {}", line.substr(0, colon), width, wrapped(line.substr(colon + 2), width + 4));
    }
    return lines;
}

std::string firstName(const HelpTopic& topic) {
    return std::string(topic.names.substr(0, topic.names.find('|', 1)));
}

std::string_view literalOf(Type type) {
    switch (type) {
        case Type::Bool:
            return "true";
        case Type::Char:
            return "'a', 97c";
        case Type::Short:
            return "5h";
        case Type::Int:
            return "5";
        case Type::Long:
            return "5l";
        case Type::Date:
            return "2024.01.31";
        case Type::Month:
            return "2024.01M";
        case Type::Time:
            return "09:30:00.123";
        case Type::Minute:
            return "09:30m";
        case Type::Second:
            return "09:30:00";
        case Type::DateTime:
            return "2024.01.31T09:30:00";
        case Type::Timestamp:
            return "2024.01.31T09:30:00.123";
        case Type::NanoTime:
            return "09:30:00.123456789";
        case Type::NanoTimestamp:
            return "2024.01.31T09:30:00.123456789";
        case Type::Float:
            return "1.5f";
        case Type::Double:
            return "1.5, 1e3";
        case Type::String:
            return "\"text\", `word";
        case Type::Duration:
            return "5m, 1d";
        case Type::Complex:
            return "1.5+2i";
        default:
            return "";
    }
}

std::string_view describeCategory(Category category) {
    switch (category) {
        case Category::Logical:
            return "true or false";
        case Category::Integral:
            return "integer";
        case Category::Floating:
            return "floating-point number";
        case Category::Temporal:
            return "date or time";
        case Category::Literal:
            return "string";
        case Category::Binary:
            return "value of 16 bytes";
        case Category::Denary:
            return "decimal number with a fixed count of digits after the decimal point (its scale)";
        case Category::Complex:
            return "pair of numbers";
        case Category::Mixed:
            return "values of different types, in a tuple";
        default:
            return "value of the system";
    }
}

}  // namespace

std::string helpOfFunction(const BuiltinFunction& f) {
    const FunctionDoc& doc = f.doc();
    std::string string = std::string(f.syntax()) + "\n\n" + wrapped(doc.summary);
    auto add = [&](const char* heading, std::string_view part) {
        if (!part.empty()) string += "\n\n" + std::string(heading) + "\n" + std::string(part);
    };
    add("Parameters", parameterLines(doc.parameters, f.signature()));
    add("Units", wrapped(doc.units));
    add("NULL", wrapped(doc.nulls));
    add("Errors", wrapped(doc.errors));
    add("Complexity", wrapped(doc.complexity));
    add("Source", wrapped(doc.source));
    add("Example", doc.example);
    constexpr size_t kMaxRelated = 8;
    add("See also", wrapped(commaList(relatedFunctions(f.name(), kMaxRelated))));
    return string;
}

std::string helpOfTopic(const HelpTopic& topic) {
    std::string string;
    std::string_view forms = topic.syntax;
    while (!forms.empty()) {
        const size_t end = std::min(forms.find("; "), forms.size());
        string += (string.empty() ? "" : "\n") + wrapped(forms.substr(0, end), 4);
        forms.remove_prefix(std::min(end + 2, forms.size()));
    }
    string += "\n\n" + wrapped(topic.string);
    if (!topic.example.empty()) {
        string += fmt::format("\n\nExample\n{}\n\nShows\n{}", topic.example, topic.shows);
    }
    if (!topic.also.empty()) string += fmt::format("\n\nSee also\n{}", wrapped(topic.also));
    return string;
}

std::string helpOfOperator(std::string_view sign) {
    const OperatorFacts* op = operatorBySymbol(sign);
    const BuiltinFunction* function = op ? FunctionRegistry::instance().find(op->function) : nullptr;
    if (!function) return {};
    return fmt::format(
        "{0}   the operator of the function {1}: x {0} y is {1}(x, y). Its precedence is {2}; operators "
        "of a higher one bind tighter.\n\n{3}",
        sign, op->function, op->precedence, helpOfFunction(*function));
}

std::string helpOfType(std::string_view name) {
    Type type;
    if (!typeByName(name, type) || static_cast<int>(type) >= kTypeCount) return {};
    const TypeFacts& f = facts(type);
    std::string string = fmt::format("{}   a type: {}", f.name, describeCategory(f.category));
    if (f.storage != Storage::None && f.storage != Storage::Boxed && f.storage != Storage::String) {
        string += fmt::format(", {} {} in a vector", f.width, f.width == 1 ? "byte" : "bytes");
    }
    string += fmt::format(". Its number is {}.", static_cast<int>(type));
    if (const std::string_view literal = literalOf(type); !literal.empty())
        string += fmt::format("\n\nWritten\n{}", literal);
    if (f.suffix != 0) string += fmt::format("\n\nNULL\n00{}", f.suffix);
    std::string lower(f.name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    std::vector<std::string> also = {"cast", "typestr", "type"};
    if (FunctionRegistry::instance().find(lower)) also.insert(also.begin(), lower);
    return string + "\n\nSee also\n" + commaList(also);
}

std::string helpOfTheme(std::string_view name) {
    if (name == kTopicTheme) {
        std::vector<std::string> names;
        for (const HelpTopic& topic : helpTopics()) names.push_back(firstName(topic));
        return fmt::format("{} (help(\"select\") tells about one)\n\n{}", name, wrapped(commaList(names)));
    }
    if (name == "types") {
        std::vector<std::string_view> names;
        for (const TypeFacts& f : kTypeTable) names.push_back(f.name);
        return fmt::format("{} (help(\"DOUBLE\") tells about one)\n\n{}", name, wrapped(commaList(names)));
    }
    const std::vector<std::string_view> functions = functionsOfTheme(name);
    if (functions.empty()) return {};
    return fmt::format("{} (help(\"{}\") tells about one)\n\n{}", name, functions[0], wrapped(commaList(functions)));
}

std::string helpOverview() {
    std::string string =
        "help(\"mavg\") tells about a function, help(\"select\") about a statement, help(\"+\") about an operator, "
        "help(\"DOUBLE\") about a type, help(\"strings\") lists the functions of a theme:\n";
    string = wrapped(string);
    string +=
        fmt::format("\n  {:<26}{:>4}\n  {:<26}{:>4}", kTopicTheme, helpTopics().size(), "types", kTypeTable.size());
    for (std::string_view theme : functionThemes()) {
        string += fmt::format("\n  {:<26}{:>4}", theme, functionsOfTheme(theme).size());
    }
    return string + R"(

select name from defs() where name like "%avg%" finds functions; the guide stands in docs/language.
objs() lists your variables, schema(t).colDefs the columns of a table; x ** y is the inner product, pow(x, y) a power.
In the console Tab completes, Ctrl-C stops what runs, exit or Ctrl-D leaves.)";
}

std::string helpAdvice(std::string_view name) {
    std::vector<std::string_view> candidates = functionThemes();
    candidates.push_back(kTopicTheme);
    for (const HelpTopic& topic : helpTopics()) candidates.push_back(topic.names.substr(0, topic.names.find('|', 1)));
    for (const TypeFacts& f : kTypeTable) candidates.push_back(f.name);
    std::string advice = foreignTypeAdvice(name);
    if (advice.empty()) advice = adviceForName(name, NameUse::Called, candidates);
    return (advice.empty() ? "" : advice + " ") + "help() says what there is help for.";
}

}  // namespace pelorus
