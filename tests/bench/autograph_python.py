"""Converted code that meets no tensor, run while a function is traced: layers that are counted, settings that are read,
names that are made. The floor is the same code in plain Python, which it should not exceed twice."""
import bench


def loops(n=60):
    total = 0
    for i in range(n):
        for j in range(n):
            if (i + j) % 3 == 0:
                total += i * j
            else:
                total -= 1
    return total


def collatz(n=40):
    longest = 0
    for start in range(1, n):
        value, steps = start, 0
        while value != 1:
            if value % 2:
                value = 3 * value + 1
            else:
                value //= 2
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def forever(n=3000):
    i = total = 0
    while True:
        i += 1
        if i % 5 == 0:
            continue
        if i > n:
            break
        total += i
    return total


def fibonacci(n=15):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def add(a, b):
    return a + b


def scaled(a, by=2):
    return add(a, a) * by


def calls(n=500):
    total = 0
    for i in range(n):
        total = add(total, i)
        total = scaled(total, by=1) - total
    return total


def classified(n):
    if n < 0:
        return 'negative'
    if n == 0:
        return 'zero'
    if n % 15 == 0:
        return 'both'
    if n % 5 == 0:
        return 'five'
    if n % 3 == 0:
        return 'three'
    return 'none'


def early_returns(n=1000):
    found = 0
    for i in range(n):
        if classified(i) == 'both':
            found += 1
    return found


def comprehensions(n=40):
    total = 0
    for i in range(n):
        squares = [j * j for j in range(30) if j % 3]
        pairs = {j: j + i for j in squares}
        total += sum(v for v in pairs.values()) + len({j % 7 for j in squares})
    return total


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.history = []

    def deposit(self, amount):
        self.balance += amount
        self.history.append(amount)
        return self

    def total(self):
        return self.balance

    def allowed(self, amount):
        return self.balance >= amount and amount > 0


def methods(n=400):
    account = Account('a')
    for i in range(n):
        account.deposit(i)
        if account.allowed(i):
            account.deposit(-i)
    return account.total()


class Settings:
    def __init__(self):
        self.width, self.depth, self.rate, self.name = 64, 3, 0.5, 'net'


def attributes(n=1500):
    settings = Settings()
    total = 0
    for i in range(n):
        total += settings.width * settings.depth
        if settings.rate > 0.4 and settings.name != 'other':
            settings.depth = i % 7
    return total


def tries(n=1000):
    table = {i: i for i in range(0, n, 2)}
    missed = 0
    for i in range(n):
        try:
            missed += table[i] * 0
        except KeyError:
            missed += 1
    return missed


class Opened:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.log.append(1)
        return False


def withs(n=800):
    log = []
    total = 0
    for i in range(n):
        with Opened(log):
            if i % 2 == 0:
                total += i
    return total + len(log)


def strings(n=600):
    parts = []
    for i in range(n):
        name = f'layer_{i}'
        if name.endswith('7') or name.startswith('layer_4'):
            name = name.upper()
        parts.append(f'{name}/kernel:{i}'.replace('/', '.'))
    return ','.join(parts)


def dicts(n=600):
    counts = {}
    for i in range(n):
        key = str(i % 17)
        if key not in counts:
            counts[key] = 0
        counts[key] += len(key)
        counts.setdefault('all', []).append(i)
    best = None
    for key, value in counts.items():
        if key != 'all' and (best is None or value > counts[best]):
            best = key
    return best


def searched(values, wanted):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def searches(n=150):
    values = list(range(0, 3 * n, 3))
    total = 0
    for i in range(n):
        total += searched(values, i)
    return total


def sorted_by_hand(n=60):
    values = [(i * 37) % n for i in range(n)]
    for i in range(n):
        for j in range(n - 1 - i):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
    return values


def depth_of(tree):
    if not isinstance(tree, (list, tuple)):
        return 0
    return 1 + max([depth_of(child) for child in tree], default=0)


def trees(n=8):
    tree = 0
    for _ in range(n):
        tree = [tree, tree]
    return depth_of(tree)


def primes(n=600):
    found = []
    for i in range(2, n):
        for p in found:
            if p * p > i:
                found.append(i)
                break
            if i % p == 0:
                break
        else:
            found.append(i)
    return len(found)


def closures(n=300):
    def adder(by):
        def plus(x):
            return x + by
        return plus
    total = 0
    for i in range(n):
        plus = adder(i)
        total = plus(total) if i % 2 else min(plus(total), 10 ** 6)
    return total


def generated(n):
    for i in range(n):
        if i % 3:
            yield i


def generators(n=2000):
    total = 0
    for value in generated(n):
        total += value
    return total


def conditions(n=1000):
    total = 0
    for i in range(n):
        low = i if i < 500 else 500
        if 0 < i <= 700 and not (i % 2 == 0 or i % 3 == 0):
            total += low
        elif i > 900 or total < 0:
            total -= 1
    return total


# These are the traced function themselves.

def memoised(n=18, times=30):
    known = {}

    def found(k):
        if k in known:
            return known[k]
        if k < 2:
            return k
        known[k] = found(k - 1) + found(k - 2)
        return known[k]
    total = 0
    for _ in range(times):
        known.clear()
        total += found(n)
    return total


def recursion_inside(n=14):
    def fibonacci(k):
        if k < 2:
            return k
        return fibonacci(k - 1) + fibonacci(k - 2)
    return fibonacci(n)


class Listed(list):
    pass


def subclasses(n=2000):
    values, total = Listed(range(n)), 0
    for value in values:
        if value % 3 == 0:
            total += value
        elif value % 5 == 0:
            total -= value
    return total


def ifs_beside_ops(n=2000):
    threes = fives = others = 0
    for i in range(n):
        if i % 3 == 0 and i > 5:
            threes += 1
        elif i % 5 == 0:
            fives += 1
        elif i > n:
            tf.no_op()  # noqa: F821
        others += 1 if not i % 7 else 2
    return threes + fives + others


PROGRAMS = [loops, collatz, forever, fibonacci, calls, early_returns, comprehensions, methods, attributes, tries, withs,
            strings, dicts, searches, sorted_by_hand, trees, primes, closures, generators, conditions]


def traced(program):
    def make():
        import footlight as tf

        def body():
            program()
            return tf.constant(0)

        def trace():
            tf.function(body).get_concrete_function()
        trace()  # converted
        return trace
    return make


def traced_itself(program):
    def make():
        global tf
        import footlight as tf

        def trace():
            tf.function(program).get_concrete_function()
        trace()
        return trace
    return make


THEMSELVES = [memoised, recursion_inside, subclasses, ifs_beside_ops]
ROWS = [bench.Row('in a trace, without tensors: ' + program.__name__, traced(program),
                  lambda program=program: program, 'plain Python') for program in PROGRAMS]
ROWS += [bench.Row('traced, without tensors: ' + program.__name__, traced_itself(program),
                   lambda program=program: program, 'plain Python') for program in THEMSELVES]


def peers(library):
    if library != 'tensorflow':
        return {}
    import tensorflow as tf

    def trace(program):
        def body():
            program()
            return tf.constant(0)
        return lambda: tf.function(body).get_concrete_function()
    return {'in a trace, without tensors: ' + program.__name__: trace(program) for program in PROGRAMS}


if __name__ == '__main__':
    bench.main()
