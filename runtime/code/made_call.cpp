#include "runtime/code/made_call.h"

#include <string>
#include <vector>

namespace pelorus {

NodeRef callOf(std::string_view function, NodeList arguments, SourcePosition position) {
    std::vector<Argument> list;
    list.reserve(arguments.size());
    for (NodeRef& argument : arguments) list.push_back({"", std::move(argument)});
    return makeRef<Call>(makeRef<Name>(std::string(function), position), std::move(list), Call::Style::Function,
                         position);
}

}  // namespace pelorus
