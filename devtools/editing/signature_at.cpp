#include "devtools/editing/signature_at.h"

#include <algorithm>
#include <cctype>

#include "runtime/registry/registry.h"

namespace pelorus {

size_t openCall(const std::vector<Token>& tokens, size_t* argument) {
    size_t commas = 0;
    int depth = 0;
    for (size_t i = tokens.size(); i-- > 0;) {
        const Token& token = tokens[i];
        if (token.is(")") || token.is("]") || token.is("}")) ++depth;
        if (token.is(";") && depth == 0) return kNoToken;
        if (depth == 0 && token.is(",")) ++commas;
        if (!token.is("(") && !token.is("[") && !token.is("{")) continue;
        if (depth-- > 0) continue;
        if (!token.is("(") || i == 0 || tokens[i - 1].kind != TokenKind::Identifier) return kNoToken;
        if (argument) *argument = commas;
        return i - 1;
    }
    return kNoToken;
}

std::vector<std::string> parametersOfSignature(std::string_view signature) {
    std::vector<std::string> names;
    const size_t open = signature.find('(');
    if (open == std::string_view::npos) return names;
    std::string name;
    bool isDefault = false;
    // Within a default, which may hold commas of its own:
    int depth = 0;      // brackets that are open
    char quote = '\0';  // of the string that is open
    bool isEscaped = false;
    for (const char c : signature.substr(open + 1)) {
        if (quote != '\0') {
            if (c == quote && !isEscaped) quote = '\0';
            isEscaped = c == '\\' && !isEscaped;
        } else if (isDefault && (c == '"' || c == '\'')) {
            quote = c;
        } else if (isDefault && (c == '(' || c == '[' || c == '{')) {
            ++depth;
        } else if (depth > 0) {
            if (c == ')' || c == ']' || c == '}') --depth;
        } else if (c == ',' || c == ')') {
            if (name.starts_with("mutable")) name.erase(0, 7);
            if (!name.empty()) names.push_back(name);
            name.clear();
            isDefault = false;
        } else if (c == '=') {
            isDefault = true;
        } else if (!isDefault && c != ' ' && c != '[' && c != ']') {
            name += c;
        }
    }
    return names;
}

std::string signatureOfFunction(std::string_view function, const SessionNames& names) {
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(function);
    if (names.kindOf(function) == NameKind::Function || !builtin) return names.signatureOf(function);
    return std::string(builtin->syntax());
}

SignatureAtCursor signatureAt(const std::vector<Token>& tokens, const SessionNames& names) {
    SignatureAtCursor result;
    const size_t call = openCall(tokens, &result.active);
    if (call == kNoToken) return result;
    // x.f(y): x is the first argument.
    const bool isMethod = call > 0 && tokens[call - 1].is(".") && !tokens[call].spaceBefore;
    if (isMethod) ++result.active;
    result.function = tokens[call].source;
    result.signature = signatureOfFunction(result.function, names);
    result.parameters = parametersOfSignature(result.signature);
    result.active = std::min(result.active, result.parameters.size());
    // The last parameter of a variadic function repeats.
    const bool repeats = !result.parameters.empty() && result.parameters.back().ends_with("...");
    if (repeats && result.active == result.parameters.size()) --result.active;
    if (result.active == result.parameters.size()) return result;
    const std::string& parameter = result.parameters[result.active];
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(result.function);
    std::string_view lines = builtin ? std::string_view(builtin->doc().parameters) : std::string_view();
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        // "names, types: …" is about several.
        for (const std::string& name : parametersOfSignature("(" + std::string(line.substr(0, line.find(':'))) + ")")) {
            if (name == parameter) {
                result.line = line;
                return result;
            }
        }
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return result;
}

size_t placeInSignature(std::string_view signature, std::string_view parameter) {
    if (parameter.empty()) return std::string_view::npos;
    const auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = signature.find('('); at < signature.size(); at = signature.find(parameter, at + 1)) {
        const size_t end = at + parameter.size();
        if (signature[at] == '(' || end >= signature.size()) continue;
        if (!isLetter(signature[at - 1]) && !isLetter(signature[end])) return at;
    }
    return std::string_view::npos;
}

}  // namespace pelorus
