"""Finds in what transactions have seen what no order of them, or no snapshot, could have shown.

A transaction is a list of operations on lists by key: ("append", key, value) and ("r", key, values that it saw). Values
are unique, so what is read tells which appends came before it, in which order.
"""
from collections import defaultdict


def version_orders(transactions):
    """The appended values of each key in their order: the longest list that was read. Others must begin it."""
    longest, wrong = {}, []
    for transaction in transactions:
        for kind, key, value in transaction:
            if kind == "r" and len(value) > len(longest.get(key, [])):
                longest[key] = value
    for transaction in transactions:
        for kind, key, value in transaction:
            if kind == "r" and value != longest.get(key, [])[: len(value)]:
                wrong.append(f"key {key}: {value} and {longest[key]} have no common order")
    return longest, wrong


def edges_of(transactions, longest):
    """Who must come before whom: by writes and reads of a value (plain), and reads before a later write (anti)."""
    writer, plain, anti = {}, defaultdict(set), defaultdict(set)
    for number, transaction in enumerate(transactions):
        for kind, key, value in transaction:
            if kind == "append":
                writer[key, value] = number
    for key, values in longest.items():
        for before, after in zip(values, values[1:]):
            a, b = writer.get((key, before)), writer.get((key, after))
            if a is not None and b is not None and a != b:
                plain[a].add(b)
    for number, transaction in enumerate(transactions):
        own = {(key, value) for kind, key, value in transaction if kind == "append"}
        for kind, key, value in transaction:
            if kind != "r":
                continue
            if value and (author := writer.get((key, value[-1]))) not in (None, number):
                plain[author].add(number)
            later = longest.get(key, [])[len(value):]
            if later and (key, later[0]) not in own and (author := writer.get((key, later[0]))) not in (None, number):
                anti[number].add(author)
    return plain, anti


def reaches(edges, start, goal):
    seen, pending = {start}, [start]
    while pending:
        for following in edges[pending.pop()]:
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return False


def faults(transactions, aborted, is_snapshot):
    """What is wrong with committed transactions; `aborted` are values of those that did not commit."""
    longest, wrong = version_orders(transactions)
    for transaction in transactions:
        seen = {}
        for kind, key, value in transaction:
            if kind == "append":
                # At read committed others may have come before it since the last look.
                if key in seen and is_snapshot:
                    seen[key] = seen[key] + [value]
                continue
            wrong += [f"key {key}: {each} of a transaction that did not commit" for each in value if (key, each) in aborted]
            if len(set(value)) < len(value):
                wrong.append(f"key {key}: {value} has a value twice")
            if key in seen and (seen[key] != value if is_snapshot else seen[key] != value[: len(seen[key])]):
                wrong.append(f"key {key}: {seen[key]}, then {value} in one transaction")
            seen[key] = value
    plain, anti = edges_of(transactions, longest)
    for number in list(plain):
        if reaches(plain, number, number):
            wrong.append(f"a circle of writes and reads through transaction {number}")
    if is_snapshot:
        # A circle with one anti-dependency: a snapshot that has half of a transaction, or a lost update.
        for number in list(anti):
            wrong += [f"transaction {number} has not seen {later}, which came before it" for later in anti[number] if reaches(plain, later, number)]
    return wrong


def lost_appends(transactions, longest):
    """Appends of committed transactions that the last state does not have."""
    return [(key, value) for transaction in transactions for kind, key, value in transaction if kind == "append" and value not in longest.get(key, [])]
