#include "runtime/function/handle_maker.h"

#include "runtime/function/principal_source.h"

namespace pelorus {

HandleMaker::HandleMaker(const Context& context)
    : user_(context.principal().user()),
      isNode_(context.principal().isNode()),
      source_(context.service<PrincipalSource>()) {}

void HandleMaker::require(const Principal& who, Right right, const SecuredObject& object) const {
    if (source_ == nullptr || who.user() == user_) return who.require(right, object);
    for (const Principal* caller = who.caller(); caller != nullptr; caller = caller->caller()) {
        if (caller->user() == user_) return caller->require(right, object);
    }
    who.require(right, object);
    source_->principalOf(user_, isNode_)->require(right, object);
}

}  // namespace pelorus
