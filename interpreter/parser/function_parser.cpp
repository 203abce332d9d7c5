// Functions, lambdas, map-reduce declarations and classes: sections 10 and 14 of the language.
#include <algorithm>

#include "interpreter/parser/parser_core.h"
#include "runtime/code/rewrite.h"

namespace pelorus {

std::vector<ParameterNode> Parser::parameters() {
    expect("(", "before the parameters");
    ModeScope scope(*this, {false, false, true, false, false, false});
    std::vector<ParameterNode> list;
    while (!takeIf(")")) {
        ParameterNode parameter;
        if (peek().isWord("mutable") && peek(1).kind == TokenKind::Identifier) {
            take();
            parameter.isMutable = true;
        } else if (peek().isWord("const") && peek(1).kind == TokenKind::Identifier) {
            take();
        }
        parameter.position = peek().position;
        parameter.name = expectName("a parameter");
        if (std::any_of(list.begin(), list.end(), [&](const auto& p) { return p.name == parameter.name; })) {
            fail(tokens_[at_ - 1], "The parameter " + parameter.name + " stands twice.");
        }
        if (takeIf("=")) {
            if (parameter.isMutable) {
                fail(peek(), "The mutable parameter " + parameter.name + " can't have a default value. RefId: S06012");
            }
            parameter.defaultValue = expression();
            requireConstant(parameter.defaultValue, parameter.name);
        } else if (!list.empty() && list.back().defaultValue) {
            fail(peek(), "The parameter " + parameter.name +
                             " needs a default value, because the one before has one. RefId: S06013");
        }
        list.push_back(std::move(parameter));
        if (takeIf(")")) break;
        expect(",", "or ')' after a parameter");
    }
    return list;
}

// A default value is computed from constants and functions alone.
void Parser::requireConstant(const NodeRef& value, const std::string& parameter) const {
    rewrite(value, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Name) return NodeRef();
        const auto& name = static_cast<const Name&>(*node);
        if (!name.functionOnly && known(name.name).role != NameRole::Function) {
            throw syntaxError(node->position,
                              "The default value of the parameter " + parameter + " must be a constant.",
                              "Use NULL as the default, and fill it in the body.");
        }
        return NodeRef();
    });
}

FunctionBody Parser::function(bool named) {
    DepthGuard guard(*this);
    size_t first = at_;
    FunctionBody result;
    result.isAggregate = take().isWord("defg");
    result.isJit = named && jitAnnotated_;
    result.isState = named && stateAnnotated_;
    if (named) {
        jitAnnotated_ = stateAnnotated_ = false;
        result.name = expectName("a function name");
    }
    result.parameters = parameters();

    bool bodyFollows = peek().is("{") || peek().is(":") || peek().is("->");
    if (named && (!bodyFollows || (peek().newlineBefore && !peek().is("{")))) {
        result.isDeclaration = true;
        result.source = sourceSince(first);
        defineFunction(result);
        return result;
    }
    // A function may call itself.
    if (named) defineFunction(result);
    scopes_.emplace_back();
    ++functionDepth_;
    for (const ParameterNode& parameter : result.parameters) defineVariable(parameter.name);
    if (peek().is("{")) {
        result.body = block();
    } else {
        if (!takeIf(":") && !takeIf("->")) failUnexpected("'{', ':' or '->' and the body of the function");
        Mode mode = mode_;
        mode.inQuery = false;
        ModeScope scope(*this, mode);
        result.body = expression();
    }
    --functionDepth_;
    scopes_.pop_back();
    result.source = sourceSince(first);
    return result;
}

NodeRef Parser::functionDefinition() {
    if (functionDepth_ > 0) {
        fail(peek(), "A named function can't be defined inside a function. RefId: S06003",
             "Define it before, or assign a lambda to a variable.");
    }
    SourcePosition position = peek().position;
    return makeRef<FunctionDefinition>(function(true), position);
}

NodeRef Parser::lambdaDefinition() {
    SourcePosition position = peek().position;
    return makeRef<Lambda>(function(false), position);
}

NodeRef Parser::lambdaFrom(std::vector<ParameterNode> parameters, size_t first) {
    DepthGuard guard(*this);
    SourcePosition position = tokens_[first].position;
    expect("->", "after the parameters");
    FunctionBody result;
    result.parameters = std::move(parameters);
    scopes_.emplace_back();
    for (const ParameterNode& parameter : result.parameters) defineVariable(parameter.name);
    result.body = expression();
    scopes_.pop_back();
    result.source = sourceSince(first);
    return makeRef<Lambda>(std::move(result), position);
}

// mapr f(args){ map1, map2 -> reduce; running1 -> result }
NodeRef Parser::mapReduceDefinition() {
    size_t first = at_;
    SourcePosition position = take().position;
    FunctionBody signature;
    signature.isAggregate = true;
    signature.name = expectName("the name of an aggregate function");
    signature.parameters = parameters();
    expect("{", "before the parts");
    Ref<FunctionDefinition> node = makeRef<FunctionDefinition>(FunctionBody(), position);
    node->isMapReduce = true;
    // The arrow after `copy` ends the parts and makes no function of it.
    auto part = [&] {
        const Token& token = peek();
        if (token.kind != TokenKind::Identifier || !peek(1).is("->")) return expression();
        take();
        return NodeRef(makeRef<Name>(std::string(tokens_[at_ - 1].source), tokens_[at_ - 1].position));
    };
    {
        ModeScope scope(*this, insideBrackets());
        do {
            node->mapParts.push_back(part());
        } while (takeIf(","));
        expect("->", "and the expression that combines the parts");
        node->reducePart = expression();
        if (takeIf(";") && !peek().is("}")) {
            do {
                node->runningParts.push_back(part());
            } while (takeIf(","));
            expect("->", "and the running result");
            node->runningResult = expression();
            takeIf(";");
        }
        expect("}", "after the parts");
    }
    signature.source = sourceSince(first);
    node->function = std::move(signature);
    return node;
}

NodeRef Parser::classDefinition() {
    SourcePosition position = take().position;
    std::string name = expectName("the name of the class");
    std::string base;
    if (takeIf(":")) base = expectName("the name of the base class");
    Ref<ClassDefinition> node = makeRef<ClassDefinition>(std::move(name), std::move(base), position);
    expect("{", "before the members of the class");
    ModeScope scope(*this, Mode{});
    for (;;) {
        while (takeIf(";")) {
        }
        if (takeIf("}")) break;
        if (peek().isWord("def") || peek().isWord("defg")) {
            SourcePosition place = peek().position;
            scopes_.emplace_back();
            for (const auto& attribute : node->attributes) defineVariable(attribute.first);
            node->methods.push_back(makeRef<FunctionDefinition>(function(true), place));
            scopes_.pop_back();
            continue;
        }
        if (!node->methods.empty()) {
            fail(peek(), "The attributes of a class stand before its methods.", "Move this one above the constructor.");
        }
        // name::TYPE is one token.
        std::string attribute = expectName("an attribute, a method or '}'");
        std::string type;
        if (size_t colons = attribute.find("::"); colons != std::string::npos) {
            type = attribute.substr(colons + 2);
            attribute.resize(colons);
        } else {
            expect("::", "and the type of the attribute");
            type = std::string(take().source);
        }
        size_t first = at_;
        while (!peek().newlineBefore && !peek().is("}") && !peek().is(";") && peek().kind != TokenKind::End) take();
        if (at_ > first) type += (tokens_[first].spaceBefore ? " " : "") + sourceSince(first);
        node->attributes.emplace_back(std::move(attribute), std::move(type));
    }
    return node;
}

}  // namespace pelorus
