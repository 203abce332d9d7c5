"""Tables of TPC-C with suppliers, nations and regions beside them, and the 22 queries of analysts over them (CH-benCHmark): for tests and benchmarks."""
import random

TABLES = {
    "region": "r_regionkey bigint primary key, r_name char(25) not null, r_comment varchar(152)",
    "nation": "n_nationkey bigint primary key, n_name char(25) not null, n_regionkey bigint not null, n_comment varchar(152)",
    "supplier": "s_suppkey bigint primary key, s_name char(25) not null, s_address varchar(40) not null, s_nationkey bigint not null, s_phone char(15) not null, s_acctbal decimal(15, 2) not null, s_comment varchar(101) not null",
    "item": "i_id int primary key, i_im_id int, i_name varchar(24), i_price decimal(5, 2), i_data varchar(50)",
    "customer": "c_id int, c_d_id int, c_w_id int, c_last varchar(16), c_city varchar(20), c_state char(2), c_phone char(16), c_balance decimal(12, 2), c_ytd_payment decimal(12, 2), primary key (c_w_id, c_d_id, c_id)",
    "history": "h_c_id int not null, h_c_d_id int not null, h_c_w_id int not null, h_amount decimal(6, 2)",
    "orders": "o_id int, o_d_id int, o_w_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int, o_ol_cnt int, primary key (o_w_id, o_d_id, o_id)",
    "new_order": "no_o_id int, no_d_id int, no_w_id int, primary key (no_w_id, no_d_id, no_o_id)",
    "order_line": "ol_o_id int, ol_d_id int, ol_w_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, ol_amount decimal(6, 2), primary key (ol_w_id, ol_d_id, ol_o_id, ol_number)",
    "stock": "s_i_id int, s_w_id int, s_quantity int, s_order_cnt int, s_data varchar(50), primary key (s_w_id, s_i_id)",
}
NATIONS = ["CHINA", "INDIA", "JAPAN", "GERMANY", "FRANCE", "RUSSIA", "ROMANIA", "KENYA", "PERU", "CANADA"]
REGIONS = ["ASIA", "EUROPE", "AFRICA", "AMERICA"]
REGION_OF = [0, 0, 0, 1, 1, 1, 1, 2, 3, 3]


def rows(seed, warehouses=2, districts=3, customers=40, orders=45, items=300, suppliers=50):
    """Rows of each table, as texts of COPY. Few different values, so that each query meets rows."""
    draw = random.Random(seed)
    data = {name: [] for name in TABLES}

    def text(length):
        return "".join(draw.choice("abcdoxyzPRB") for _ in range(length))

    def time(year):
        return f"{year}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02} {draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}"

    for number, name in enumerate(REGIONS):
        data["region"].append((number, name, text(9)))
    for number, name in enumerate(NATIONS):
        data["nation"].append((number, name, REGION_OF[number], None))
    for number in range(suppliers):
        comment = "a bad one" if number % 9 == 0 else text(12)
        data["supplier"].append((number, f"Supplier{number:05}", text(10), number % len(NATIONS), f"{draw.randint(10, 99)}-{number}", f"{draw.randint(-999, 9999)}.{draw.randint(0, 99):02}", comment))
    for i in range(1, items + 1):
        data["item"].append((i, draw.randint(1, 999), text(8), f"{draw.randint(1, 99)}.{draw.randint(0, 99):02}", draw.choice(["PR", "co", "zz", "", ""]) + text(8) + draw.choice(["a", "b", "c", "BB"])))
    for w in range(1, warehouses + 1):
        for i in range(1, items + 1):
            data["stock"].append((i, w, draw.randint(10, 100), draw.randint(0, 9), text(12)))
        for d in range(1, districts + 1):
            for c in range(1, customers + 1):
                data["customer"].append((c, d, w, draw.choice(["BAR", "OUGHT", "ABLE"]) + str(c % 7), text(6), chr(65 + draw.randrange(len(NATIONS))) + draw.choice("ab"), str(draw.randint(10, 99)) + text(6), f"{draw.randint(-50, 5000)}.{draw.randint(0, 99):02}", "10.00"))
                data["history"].append((c, d, w, f"{draw.randint(1, 99)}.00"))
            for o in range(1, orders + 1):
                isDone = o <= orders * 2 // 3
                year = draw.choice([2006, 2010, 2024])
                lines = draw.randint(3, 9)
                # Some customers never order.
                data["orders"].append((o, d, w, draw.randint(1, customers * 3 // 4), time(year), draw.randint(1, 10) if isDone else None, lines))
                if not isDone:
                    data["new_order"].append((o, d, w))
                for number in range(1, lines + 1):
                    data["order_line"].append((o, d, w, number, draw.randint(1, items), draw.choice([w, w, draw.randint(1, warehouses)]), time(draw.choice([year, 2025])) if isDone else None, draw.choice([1, 5, 5, 9]), f"{draw.randint(0, 99)}.{draw.randint(0, 99):02}"))
    return {name: "".join("\t".join("\\N" if cell is None else str(cell) for cell in row) + "\n" for row in rows_of) for name, rows_of in data.items()}


def view(suppliers):
    return f"""create view earned (number, total) as
        select mod(s_w_id * s_i_id, {suppliers}), sum(ol_amount) from order_line join stock on ol_i_id = s_i_id and ol_supply_w_id = s_w_id
        where ol_delivery_d >= timestamp '2007-01-02' group by 1"""


# Joins that several queries share: an order with its lines and its customer, and the supplier of a line.
ORDERED = "c_id = o_c_id and c_w_id = o_w_id and c_d_id = o_d_id and ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id"
SUPPLIED = "ol_i_id = s_i_id and ol_supply_w_id = s_w_id and mod(s_w_id * s_i_id, {suppliers}) = s_suppkey"
HOME = "ascii(substr(c_state, 1, 1)) - 65"
SINCE = "timestamp '2007-01-02'"


def queries(suppliers):
    supplied = SUPPLIED.replace("{suppliers}", str(suppliers))
    sold = f"mod(s_w_id * s_i_id, {suppliers})"
    return {
        1: f"select ol_number, sum(ol_quantity), sum(ol_amount), avg(ol_quantity), avg(ol_amount), count(*) from order_line where ol_delivery_d > {SINCE} group by ol_number order by 1",
        2: f"""select s_suppkey, s_name, n_name, i_id, i_name from item, supplier, stock, nation, region,
               (select s_i_id as least_item, min(s_quantity) as least from stock, supplier, nation, region
                where {sold} = s_suppkey and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name like 'EUROP%' group by s_i_id) l
               where i_id = s_i_id and {sold} = s_suppkey and s_nationkey = n_nationkey and n_regionkey = r_regionkey
                 and i_data like '%b' and r_name like 'EUROP%' and i_id = least_item and s_quantity = least order by n_name, s_name, i_id""",
        3: f"""select ol_o_id, ol_w_id, ol_d_id, sum(ol_amount) as revenue, o_entry_d from customer, new_order, orders, order_line
               where c_state like 'A%' and {ORDERED} and no_w_id = o_w_id and no_d_id = o_d_id and no_o_id = o_id and o_entry_d > {SINCE}
               group by ol_o_id, ol_w_id, ol_d_id, o_entry_d order by revenue desc, o_entry_d""",
        4: f"""select o_ol_cnt, count(*) from orders where o_entry_d >= {SINCE} and exists (select * from order_line
               where o_id = ol_o_id and o_w_id = ol_w_id and o_d_id = ol_d_id and ol_delivery_d >= o_entry_d) group by o_ol_cnt order by o_ol_cnt""",
        5: f"""select n_name, sum(ol_amount) as revenue from customer, orders, order_line, stock, supplier, nation, region
               where {ORDERED} and ol_w_id = s_w_id and ol_i_id = s_i_id and {sold} = s_suppkey and {HOME} = s_nationkey
                 and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'EUROPE' and o_entry_d >= {SINCE} group by n_name order by revenue desc""",
        6: f"select sum(ol_amount) from order_line where ol_delivery_d >= {SINCE} and ol_delivery_d < timestamp '2030-01-01' and ol_quantity between 2 and 8",
        7: f"""select s_nationkey, substr(c_state, 1, 1), extract(year from o_entry_d), sum(ol_amount)
               from supplier, stock, order_line, orders, customer, nation a, nation b
               where {supplied} and {ORDERED} and s_nationkey = a.n_nationkey and {HOME} = b.n_nationkey
                 and ((a.n_name = 'JAPAN' and b.n_name = 'CHINA') or (a.n_name = 'CHINA' and b.n_name = 'JAPAN')) and ol_delivery_d >= {SINCE}
               group by 1, 2, 3 order by 1, 2, 3""",
        8: f"""select extract(year from o_entry_d) as year, sum(case when b.n_name = 'INDIA' then ol_amount else 0 end) / sum(ol_amount)
               from item, supplier, stock, order_line, orders, customer, nation a, nation b, region
               where i_id = s_i_id and {supplied} and {ORDERED} and a.n_nationkey = {HOME} and a.n_regionkey = r_regionkey and ol_i_id < 200
                 and r_name = 'ASIA' and s_nationkey = b.n_nationkey and o_entry_d > {SINCE} and i_id = ol_i_id group by 1 order by year""",
        9: f"""select n_name, extract(year from o_entry_d) as year, sum(ol_amount) from item, stock, supplier, order_line, orders, nation
               where {supplied} and ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id and ol_i_id = i_id and s_nationkey = n_nationkey
                 and i_data like '%BB' group by n_name, 2 order by n_name, year desc""",
        10: f"""select c_id, c_last, sum(ol_amount) as revenue, c_city, c_phone, n_name from customer, orders, order_line, nation
                where {ORDERED} and o_entry_d >= {SINCE} and o_entry_d <= ol_delivery_d and n_nationkey = {HOME}
                group by c_id, c_last, c_city, c_phone, n_name order by revenue desc""",
        11: f"""select s_i_id, sum(s_order_cnt) as ordered from stock, supplier, nation where {sold} = s_suppkey and s_nationkey = n_nationkey and n_name = 'CHINA'
                group by s_i_id having sum(s_order_cnt) > (select sum(s_order_cnt) * .005 from stock, supplier, nation
                where {sold} = s_suppkey and s_nationkey = n_nationkey and n_name = 'CHINA') order by ordered desc""",
        12: """select o_ol_cnt, sum(case when o_carrier_id in (1, 2) then 1 else 0 end), sum(case when o_carrier_id not in (1, 2) then 1 else 0 end)
               from orders join order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
               where o_entry_d <= ol_delivery_d and ol_delivery_d < timestamp '2030-01-01' group by o_ol_cnt order by o_ol_cnt""",
        13: """select orders_of, count(*) as customers from (select c_id, count(o_id) as orders_of from customer
               left join orders on c_w_id = o_w_id and c_d_id = o_d_id and c_id = o_c_id and o_carrier_id > 8 group by c_id) c
               group by orders_of order by customers desc, orders_of desc""",
        14: f"""select 100.00 * sum(case when i_data like 'PR%' then ol_amount else 0 end) / (1 + sum(ol_amount))
                from order_line, item where ol_i_id = i_id and ol_delivery_d >= {SINCE}""",
        15: "select s_suppkey, s_name, total from supplier, earned where s_suppkey = number and total = (select max(total) from earned) order by s_suppkey",
        16: f"""select i_name, substr(i_data, 1, 3), i_price, count(distinct {sold}) as sellers from stock, item
                where i_id = s_i_id and i_data not like 'zz%' and {sold} not in (select s_suppkey from supplier where s_comment like '%bad%')
                group by i_name, substr(i_data, 1, 3), i_price order by sellers desc""",
        17: """select sum(ol_amount) / 2.0 from order_line, (select i_id, avg(ol_quantity) as usual from item, order_line
               where i_data like '%b' and ol_i_id = i_id group by i_id) u where ol_i_id = u.i_id and ol_quantity < u.usual""",
        18: f"""select c_last, c_id, o_id, o_entry_d, o_ol_cnt, sum(ol_amount) from customer, orders, order_line where {ORDERED}
                group by o_id, o_w_id, o_d_id, c_id, c_last, o_entry_d, o_ol_cnt having sum(ol_amount) > 200 order by sum(ol_amount) desc, o_entry_d""",
        19: "select sum(ol_amount) from order_line, item where " + " or ".join(f"(ol_i_id = i_id and i_data like '%{end}' and ol_quantity between 1 and 8 and i_price between 1 and 400000 and ol_w_id in ({places}))"
                                                                               for end, places in (("a", "1, 2"), ("b", "1, 3"), ("c", "2, 3"))),
        20: f"""select s_name, s_address from supplier, nation where s_suppkey in (select mod(s_i_id * s_w_id, {suppliers}) from stock, order_line
                where s_i_id in (select i_id from item where i_data like 'co%') and ol_i_id = s_i_id and ol_delivery_d > timestamp '2010-05-23 12:00:00'
                group by s_i_id, s_w_id, s_quantity having 2 * s_quantity > sum(ol_quantity)) and s_nationkey = n_nationkey and n_name = 'CHINA' order by s_name""",
        21: f"""select s_name, count(*) as waits from supplier, order_line l, orders, stock, nation
                where ol_o_id = o_id and ol_w_id = o_w_id and ol_d_id = o_d_id and ol_w_id = s_w_id and ol_i_id = s_i_id and {sold} = s_suppkey
                  and l.ol_delivery_d > o_entry_d and not exists (select * from order_line m where m.ol_o_id = l.ol_o_id and m.ol_w_id = l.ol_w_id
                  and m.ol_d_id = l.ol_d_id and m.ol_delivery_d > l.ol_delivery_d) and s_nationkey = n_nationkey and n_name = 'CHINA'
                group by s_name order by waits desc, s_name""",
        22: """select substr(c_state, 1, 1), count(*), sum(c_balance) from customer where substr(c_phone, 1, 1) in ('1', '2', '3', '4', '5', '6', '7')
               and c_balance > (select avg(c_balance) from customer where c_balance > 0.00 and substr(c_phone, 1, 1) in ('1', '2', '3', '4', '5', '6', '7'))
               and not exists (select * from orders where o_c_id = c_id and o_w_id = c_w_id and o_d_id = c_d_id) group by 1 order by 1""",
    }


def balances(warehouse):
    """TPC-C's consistency conditions over sums of each customer, which have a sub-query of each of them."""
    delivered = f"(select sum(ol_amount) from orders, order_line where ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id and ol_delivery_d is not null and o_w_id = {warehouse} and o_d_id = c_d_id and o_c_id = c_id)"
    paid = f"(select sum(h_amount) from history where h_c_w_id = {warehouse} and h_c_d_id = c_d_id and h_c_id = c_id)"
    return {
        "3.3.2.10": f"select count(*), sum(due) from (select c_balance, {delivered} as due, {paid} as paid from customer where c_w_id = {warehouse}) c where c_balance <> due - paid",
        "3.3.2.12": f"select count(*), sum(due) from (select c_balance, c_ytd_payment, {delivered} as due from customer where c_w_id = {warehouse}) c where c_balance + c_ytd_payment <> due",
    }
