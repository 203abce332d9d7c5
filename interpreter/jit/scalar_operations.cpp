#include "interpreter/jit/scalar_operations.h"

namespace pelorus {

void ScalarOperations::bareCall(const ScalarStep& s) {
    Node* x = getReal(s.arguments[0]);
    Node* y = pureCall(s.form->bare(), b_.getDoubleTy(), {x});
    const RealDomain& where = s.form->where;
    using P = llvm::CmpInst::Predicate;
    static constexpr P kSides[] = {P::FCMP_TRUE, P::FCMP_OGT, P::FCMP_OGE, P::FCMP_OLT, P::FCMP_OLE};
    Node* holds =
        b_.CreateFCmp(kSides[static_cast<int>(where.side)], where.ofMagnitude ? magnitude(x) : x, real(where.bound));
    Node* usual = b_.CreateAnd(holds, b_.CreateFCmpOLT(magnitude(y), real(DBL_MAX)));
    if (where.holds(null<double>)) usual = b_.CreateAnd(usual, b_.CreateFCmpOGT(x, nullReal()));
    setReal(s.out, usually(usual, y, [&] {
                Node* isDefined = b_.CreateAnd(holds, b_.CreateAnd(finite(y), b_.CreateFCmpUNE(x, nullReal())));
                return b_.CreateSelect(isDefined, y, nullReal());
            }));
}

void ScalarOperations::integer(const ScalarStep& s) {
    llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
    Node *wideA = get(s.a), *wideB = get(s.b);
    Node *a = b_.CreateTrunc(wideA, lane), *x = b_.CreateTrunc(wideB, lane);
    Node* nulls = b_.CreateOr(b_.CreateICmpEQ(wideA, nullOf(s.type)), b_.CreateICmpEQ(wideB, nullOf(s.type)));
    Node* shift = b_.CreateAnd(x, llvm::ConstantInt::get(lane, s.type == Type::Int ? 31 : 63));
    Node* r = nullptr;
    switch (s.op) {
        case ScalarOp::Add:
            r = b_.CreateAdd(a, x);
            break;
        case ScalarOp::Sub:
            r = b_.CreateSub(a, x);
            break;
        case ScalarOp::Mul:
            r = b_.CreateMul(a, x);
            break;
        case ScalarOp::BitAnd:
            r = b_.CreateAnd(a, x);
            break;
        case ScalarOp::BitOr:
            r = b_.CreateOr(a, x);
            break;
        case ScalarOp::BitXor:
            r = b_.CreateXor(a, x);
            break;
        case ScalarOp::ShiftLeft:
            r = b_.CreateShl(a, shift);
            break;
        case ScalarOp::ShiftRight:
            r = b_.CreateLShr(a, shift);
            break;
        default: {
            auto number = [&](int64_t n) { return llvm::ConstantInt::getSigned(lane, n); };
            Node* zero = b_.CreateICmpEQ(x, number(0));
            Node* minusOne = b_.CreateICmpEQ(x, number(-1));
            nulls = b_.CreateOr(nulls, zero);
            Node* divisor = b_.CreateSelect(b_.CreateOr(zero, minusOne), number(1), x);
            Node* q = b_.CreateSDiv(a, divisor);
            Node* m = b_.CreateSub(a, b_.CreateMul(q, divisor));
            Node* differ = b_.CreateICmpSLT(b_.CreateXor(m, divisor), number(0));
            Node* adjust = b_.CreateAnd(b_.CreateICmpNE(m, number(0)), differ);
            q = b_.CreateSub(q, b_.CreateZExt(adjust, lane));
            m = b_.CreateAdd(m, b_.CreateSelect(adjust, divisor, number(0)));
            r = s.op == ScalarOp::FloorDiv ? b_.CreateSelect(minusOne, b_.CreateNeg(a), q)
                                           : b_.CreateSelect(minusOne, number(0), m);
        }
    }
    set(s.out, unlessNull(nulls, nullOf(s.type), b_.CreateSExt(r, i64())));
}

ScalarOperations::Node* ScalarOperations::operation(ScalarOp op, Node* a, Node* x) {
    switch (op) {
        case ScalarOp::AddReal:
            return b_.CreateFAdd(a, x);
        case ScalarOp::SubReal:
            return b_.CreateFSub(a, x);
        case ScalarOp::MulReal:
            return b_.CreateFMul(a, x);
        default:
            return b_.CreateFDiv(a, x);
    }
}

void ScalarOperations::arithmetic(const ScalarStep& s) {
    Node *a = getReal(s.a), *x = getReal(s.b);
    Node* r = operation(s.op, a, x);
    Node* isUsual = b_.CreateFCmpOLT(magnitude(r), real(DBL_MAX));
    for (Node* operand : {a, x}) isUsual = b_.CreateAnd(isUsual, b_.CreateFCmpOGT(operand, nullReal()));
    setReal(s.out, usually(isUsual, r, [&] {
                Node* bad = b_.CreateOr(b_.CreateFCmpOEQ(a, nullReal()), b_.CreateFCmpOEQ(x, nullReal()));
                bad = b_.CreateOr(bad, b_.CreateAnd(b_.CreateNot(finite(r)), b_.CreateAnd(finite(a), finite(x))));
                if (s.op == ScalarOp::DivReal) bad = b_.CreateOr(bad, b_.CreateFCmpOEQ(x, real(0)));
                return b_.CreateSelect(bad, nullReal(), r);
            }));
}

void ScalarOperations::comparison(const ScalarStep& s) {
    using P = llvm::CmpInst::Predicate;
    static constexpr P kIntegers[] = {P::ICMP_SLT, P::ICMP_SLE, P::ICMP_EQ, P::ICMP_SGT, P::ICMP_SGE, P::ICMP_NE};
    static constexpr P kReals[] = {P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OEQ, P::FCMP_OGT, P::FCMP_OGE, P::FCMP_UNE};
    if (s.op >= ScalarOp::LtReal) {
        P p = kReals[static_cast<int>(s.op) - static_cast<int>(ScalarOp::LtReal)];
        setBit(s.out, b_.CreateFCmp(p, getReal(s.a), getReal(s.b)));
    } else {
        P p = kIntegers[static_cast<int>(s.op) - static_cast<int>(ScalarOp::Lt)];
        setBit(s.out, b_.CreateICmp(p, get(s.a), get(s.b)));
    }
}

void ScalarOperations::range(const ScalarStep& s) {
    Node *from = get(s.a), *to = get(s.a + 1);
    Node* up = b_.CreateICmpSLE(from, to);
    if (s.op == ScalarOp::RangeCount || s.op == ScalarOp::SequenceCount) {
        Node* count = b_.CreateSelect(up, b_.CreateSub(to, from), b_.CreateSub(from, to));
        set(s.out, s.op == ScalarOp::RangeCount ? count : b_.CreateAdd(count, b_.getInt64(1)));
        return;
    }
    Node* p = get(s.b);
    Node* down = b_.CreateSub(from, p);
    if (s.op == ScalarOp::RangeElement) down = b_.CreateSub(down, b_.getInt64(1));
    set(s.out, b_.CreateSelect(up, b_.CreateAdd(from, p), down));
}

void ScalarOperations::step(const ScalarStep& s) {
    switch (s.op) {
        case ScalarOp::Constant:
            set(s.out, b_.getInt64(static_cast<uint64_t>(s.immediate)));
            return;
        case ScalarOp::Next:
            set(s.out, b_.CreateAdd(get(s.a), b_.getInt64(1)));
            return;
        case ScalarOp::Copy:
            set(s.out, get(s.a));
            return;
        case ScalarOp::Negate: {
            llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
            set(s.out, b_.CreateSExt(b_.CreateNeg(b_.CreateTrunc(get(s.a), lane)), i64()));
            return;
        }
        case ScalarOp::NegateReal: {
            Node* a = getReal(s.a);
            setReal(s.out, b_.CreateSelect(isNullNode(Type::Double, s.a), nullReal(), b_.CreateFNeg(a)));
            return;
        }
        case ScalarOp::And: {
            Node* nulls = b_.CreateOr(isNullNode(Type::Bool, s.a), isNullNode(Type::Bool, s.b));
            set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateAnd(get(s.a), get(s.b))));
            return;
        }
        case ScalarOp::OrOfKnown: {
            Node* nulls = b_.CreateOr(isNullNode(Type::Bool, s.a), isNullNode(Type::Bool, s.b));
            set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateOr(get(s.a), get(s.b))));
            return;
        }
        case ScalarOp::Or: {
            Node *a = get(s.a), *x = get(s.b);
            Node* both = b_.CreateSelect(isNullNode(Type::Bool, s.b), a, b_.CreateOr(a, x));
            set(s.out, b_.CreateSelect(isNullNode(Type::Bool, s.a), x, both));
            return;
        }
        case ScalarOp::Not: {
            Node* r = b_.CreateZExt(b_.CreateICmpEQ(get(s.a), b_.getInt64(0)), i64());
            set(s.out, b_.CreateSelect(isNullNode(Type::Bool, s.a), nullOf(Type::Bool), r));
            return;
        }
        case ScalarOp::ToInt:
            set(s.out, unlessNull(isNullNode(s.type, s.a), nullOf(Type::Int), get(s.a)));
            return;
        case ScalarOp::ToLong:
            set(s.out, unlessNull(isNullNode(s.type, s.a), nullOf(Type::Long), get(s.a)));
            return;
        case ScalarOp::ToBool: {
            Node* nulls = isNullNode(s.type, s.a);
            set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateZExt(isNotZero(s), i64())));
            return;
        }
        case ScalarOp::Absolute: {
            llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
            Node* x = b_.CreateTrunc(get(s.a), lane);
            Node* negative = b_.CreateICmpSLT(x, llvm::ConstantInt::get(lane, 0));
            set(s.out, b_.CreateSExt(b_.CreateSelect(negative, b_.CreateNeg(x), x), i64()));
            return;
        }
        case ScalarOp::AbsoluteReal: {
            Node* positive = magnitude(getReal(s.a));
            setReal(s.out, usually(b_.CreateFCmpOLT(positive, real(DBL_MAX)), positive, [&] {
                        return b_.CreateSelect(isNullNode(Type::Double, s.a), nullReal(), positive);
                    }));
            return;
        }
        case ScalarOp::SquareRoot: {
            // NULL is negative, too.
            Node* x = getReal(s.a);
            Node* root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
            setReal(s.out, usually(b_.CreateFCmpOGE(x, real(0)), root, [&] { return nullReal(); }));
            return;
        }
        case ScalarOp::Select: {
            Node* chosen = b_.CreateSelect(b_.CreateICmpEQ(get(s.a), b_.getInt64(1)), get(s.b), get(s.arguments[0]));
            set(s.out, unlessNull(isNullNode(Type::Bool, s.a), nullOf(s.type), chosen));
            return;
        }
        case ScalarOp::ToReal:
            setReal(s.out,
                    unlessNull(isNullNode(s.type, s.a), nullReal(), b_.CreateSIToFP(get(s.a), b_.getDoubleTy())));
            return;
        case ScalarOp::IsNull:
            setBit(s.out, isNullNode(s.type, s.a));
            return;
        case ScalarOp::IsTrue:
            setBit(s.out, b_.CreateAnd(isNotZero(s), b_.CreateNot(isNullNode(s.type, s.a))));
            return;
        case ScalarOp::RangeElement:
        case ScalarOp::RangeCount:
        case ScalarOp::SequenceElement:
        case ScalarOp::SequenceCount:
            range(s);
            return;
        default:
            break;
    }
    if (s.op >= ScalarOp::Lt && s.op <= ScalarOp::NeReal) {
        comparison(s);
    } else if (s.op >= ScalarOp::AddReal && s.op <= ScalarOp::DivReal) {
        arithmetic(s);
    } else {
        integer(s);
    }
}

}  // namespace pelorus
