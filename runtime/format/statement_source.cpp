// Printer from statements to source text.
#include "runtime/format/source_printer.h"

namespace pelorus {

void SourcePrinter::body(const Node& node) {
    if (node.kind == NodeKind::Block) {
        print(node);
        return;
    }
    // Braces keep a following else with its own if.
    out_ += "{ ";
    print(node);
    out_ += "; }";
}

void SourcePrinter::statement(const Node& node) {
    switch (node.kind) {
        case NodeKind::ExpressionStatement:
            aliased(*static_cast<const ExpressionStatement&>(node).expression);
            return;
        case NodeKind::Assign: {
            const auto& assign = static_cast<const Assign&>(node);
            if (assign.isConst) out_ += "const ";
            if (assign.byReference) out_ += '&';
            list(assign.targets);
            out_ += assign.compound ? std::string(" ") + facts(assign.op).symbol + "= " : " = ";
            print(*assign.value);
            return;
        }
        case NodeKind::FunctionDefinition: {
            const auto& definition = static_cast<const FunctionDefinition&>(node);
            if (!definition.isMapReduce) {
                if (definition.function.isJit) out_ += "@jit\n";
                if (definition.function.isState) out_ += "@state\n";
                function(definition.function);
                return;
            }
            out_ += "mapr " + definition.function.name;
            parameters(definition.function.parameters);
            out_ += " { ";
            list(definition.mapParts);
            out_ += " -> ";
            print(*definition.reducePart);
            if (definition.runningResult) {
                out_ += "; ";
                list(definition.runningParts);
                out_ += " -> ";
                print(*definition.runningResult);
            }
            out_ += " }";
            return;
        }
        case NodeKind::Block: {
            out_ += "{ ";
            for (const NodeRef& part : static_cast<const Block&>(node).statements) {
                print(*part);
                out_ += "; ";
            }
            out_ += '}';
            return;
        }
        case NodeKind::If: {
            const auto& branch = static_cast<const If&>(node);
            out_ += "if (";
            print(*branch.condition);
            out_ += ") ";
            body(*branch.then);
            if (branch.otherwise) {
                out_ += " else ";
                body(*branch.otherwise);
            }
            return;
        }
        case NodeKind::For: {
            const auto& loop = static_cast<const For&>(node);
            out_ += "for (";
            for (size_t i = 0; i < loop.variables.size(); ++i) out_ += (i > 0 ? ", " : "") + loop.variables[i];
            out_ += " in ";
            print(*loop.range);
            out_ += ") ";
            body(*loop.body);
            return;
        }
        case NodeKind::DoWhile: {
            const auto& loop = static_cast<const DoWhile&>(node);
            out_ += "do ";
            body(*loop.body);
            out_ += " while (";
            print(*loop.condition);
            out_ += ')';
            return;
        }
        case NodeKind::Break:
            out_ += "break";
            return;
        case NodeKind::Continue:
            out_ += "continue";
            return;
        case NodeKind::Go:
            out_ += "go";
            return;
        case NodeKind::Return: {
            const auto& result = static_cast<const Return&>(node);
            out_ += "return";
            if (result.value) {
                out_ += ' ';
                print(*result.value);
            }
            return;
        }
        case NodeKind::Try: {
            const auto& attempt = static_cast<const Try&>(node);
            out_ += "try ";
            body(*attempt.body);
            out_ += " catch (" + attempt.variable + ") ";
            body(*attempt.handler);
            return;
        }
        case NodeKind::Throw:
            out_ += "throw ";
            print(*static_cast<const Throw&>(node).value);
            return;
        case NodeKind::Assert: {
            const auto& check = static_cast<const Assert&>(node);
            out_ += "assert ";
            if (check.name) {
                print(*check.name);
                out_ += ", ";
            }
            print(*check.condition);
            return;
        }
        case NodeKind::Timer: {
            const auto& timer = static_cast<const Timer&>(node);
            out_ += "timer";
            if (timer.count) bracketed(*timer.count);
            out_ += ' ';
            body(*timer.body);
            return;
        }
        case NodeKind::Share: {
            const auto& share = static_cast<const Share&>(node);
            out_ += "share ";
            print(*share.value);
            out_ += " as ";
            name(share.name);
            return;
        }
        case NodeKind::Use:
            out_ += "use " + static_cast<const Directive&>(node).text;
            return;
        case NodeKind::Module:
            out_ += "module " + static_cast<const Directive&>(node).text;
            return;
        case NodeKind::Include:
            out_ += "#include " + toLiteral(Value::ofString(static_cast<const Directive&>(node).text));
            return;
        case NodeKind::Transaction:
            out_ += "transaction ";
            print(*static_cast<const TransactionBlock&>(node).body);
            return;
        case NodeKind::ClassDefinition: {
            const auto& type = static_cast<const ClassDefinition&>(node);
            out_ += "class " + type.name + (type.base.empty() ? "" : " : " + type.base) + " { ";
            for (const auto& [attribute, typeString] : type.attributes) out_ += attribute + " :: " + typeString + "; ";
            for (const NodeRef& method : type.methods) {
                print(*method);
                out_ += "; ";
            }
            out_ += '}';
            return;
        }
        default:
            return;
    }
}

}  // namespace pelorus
