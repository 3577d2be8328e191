"""Counts nodes and graphs straight from the text of a program, to compare an import with."""
import re
from collections import Counter

HLO = re.compile(r'\s+(ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([a-z][\w\-]*)\((.*)')
MLIR = re.compile(r'\s*(?:%[^=]*= )?"?((?:stablehlo|chlo|func)\.\w+|call)"?[ (]')
FX = re.compile(r'(\w+)(?: ?: ?(?:"[^"]*"|[\w.]+))? = ([^;]*)')
LISTED = re.compile(r'%(\w+) : .*?= (\w+)\[target=([^\]]*)\]')


class Count:
    """How many nodes of each op there are, how many graphs, how many edges (of HLO alone: -1 elsewhere)."""

    def __init__(self, path: str) -> None:
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        self.ops: Counter[str] = Counter()
        self.graphs, self.inputs, self.edges = 0, 0, -1
        {'hlo': self.hlo, 'mlir': self.mlir, 'fx': self.listed if lines[0] == 'graph():' else self.fx}[path.rsplit('.', 1)[1]](lines)

    def hlo(self, lines: list[str]) -> None:
        self.edges = 0
        names: set[str] = set()
        for line in lines:
            if line.endswith('{') and not line.startswith((' ', 'HloModule')):
                self.graphs += 1
                names = set()
            found = HLO.match(line)
            if found:
                self.ops[found[4]] += 1
                self.inputs += found[4] == 'parameter'
                if found[4] not in ('parameter', 'constant'):
                    self.edges += sum(1 for word in re.findall(r'[\w.\-]+', found[5].split(')')[0]) if word in names)
                names.add(found[2])

    def mlir(self, lines: list[str]) -> None:
        """Inputs are those of functions and regions, without what a region takes from around it."""
        arguments = 0
        for line in lines:
            found = MLIR.match(line)
            if line.strip().startswith(('func.func', '"func.func"')):
                self.graphs += 1
                self.inputs += len(re.findall(r'%\w+:', line.split(' -> ')[0])) if '"' not in line.split('(')[0] else 0
            elif found and found[1] not in ('func.return', 'stablehlo.return'):
                self.ops['func.call' if found[1] == 'call' else found[1]] += 1
                arguments = len(re.findall(r'%\w+ = %', line)) if 'stablehlo.while' in line else arguments
            if line.strip().startswith('^bb0'):
                self.inputs += len(re.findall(r'%\w+:', line))
            if re.search(r'(\(\{|cond \{|\} do \{|\}, \{|reducer.*\{)$', line) and not line.strip().startswith('"func.func"') \
                    and 'builtin.module' not in line:
                self.graphs += 1
                self.inputs += arguments * (' {' in line and '(' not in line and ',' not in line) + len(re.findall(r'%\w+:', line)) * ('reducer' in line)

    def fx(self, lines: list[str]) -> None:
        """One name for another makes no node, nor does one for a graph that a node runs."""
        inner = {found[1] for line in lines if (found := re.match(r'\s*class (\w+)\(', line))}
        for line in map(str.strip, lines):
            if line.startswith('def forward(self'):
                self.graphs += 1
                self.inputs += line.count(',')
                self.ops['input'] += len(re.findall(r'[(,] ?(?!self)\w+(?=[:,)])', re.sub(r'\[[^\]]*\]|"[^"]*"', '', line)))
            elif not line.startswith(('#', 'class')) and (found := FX.match(line)):
                if re.fullmatch(r'\w+', found[2]) or found[2].removeprefix('self.') in inner:
                    continue
                self.ops['node'] += 1
            elif re.match(r'\w+\[.*\] = |\w+ \S= ', line):
                self.ops['node'] += 1
        self.inputs = self.ops['input']

    def listed(self, lines: list[str]) -> None:
        for line in lines:
            self.graphs += line.strip() == 'graph():'
            if found := LISTED.search(line):
                self.inputs += found[2] == 'placeholder'
                self.ops['input' if found[2] == 'placeholder' else 'node'] += 1
