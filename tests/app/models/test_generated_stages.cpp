// Texts that other engines make of a function: which lines of the program their lines name, and the reasons given for
// texts that were not recorded.
#include "app/models/generated_origins.h"
#include "app/models/generated_stages.h"

#include "engine/session/chunk.h"
#include "tests/session/records.h"

#include <QTest>

using namespace footlight;
using namespace footlight::app;

namespace {

// For each line of the text, the innermost line of the program that it names; 0: none.
std::vector<int> named(std::string_view kind, std::string_view text, const std::string& file = "/home/ada/train.py") {
  std::vector<int> lines;
  for (const LineOrigin& said : origins_of_lines(kind, lines_of(text), file))
    lines.push_back(said.empty() ? 0 : said[0].line);
  return lines;
}

session::TraceRecord trace_with(std::vector<std::tuple<std::string, std::string, std::string>> texts) {
  session::TraceRecord t = trace_of(TraceId(1), FunctionId(1), 1);
  for (const auto& [name, kind, text] : texts) t.artifacts.push_back({name, kind, session::pack(text)});
  return t;
}

Document document_with(const char* kind, const char* options, session::TraceRecord trace) {
  Document d;
  d.add(session::FileRecord{session::FileId(1), "/home/ada/train.py", "a\nb\nc\nd\ne\nf\n"});
  d.add(session::FileRecord{session::FileId(2), "/usr/lib/python3/dist-packages/flax/linear.py", ""});
  d.add(session::FunctionRecord{FunctionId(1), "step", session::FileId(1), 2, 0, {}, kind, options});
  d.add(std::move(trace));
  return d;
}

QString absent(const Document& d, const char* stage, const char* part, const std::vector<std::string>& missing = {}) {
  for (const GeneratedStage& s : generated_stages(d, TraceId(1), missing))
    for (const GeneratedPart& p : s.parts)
      if (s.title == QLatin1String(stage) && p.title == QLatin1String(part)) return p.absent;
  return QStringLiteral("there is no such part");
}

}  // namespace

class GeneratedStagesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equations_of_a_jaxpr() {
    QCOMPARE(named("jaxpr",
                   "{ lambda ; a:f32[4]. let\n"
                   "    c:f32[4] d:f32[3] = scan[          # /home/ada/train.py:14:11 (step)\n"
                   "      jaxpr={ lambda ; g:f32[4]. let\n"
                   "          i:f32[4] = tanh g            # /home/ada/train.py:3:8 (step.<locals>.body)\n"
                   "        in (i,) }\n"
                   "      length=3\n"
                   "    ] a\n"
                   "    e:f32[4] = neg c                   # /home/ada/train.py:15 (step)\n"
                   "    f:f32[4] = jit[name=g] e           # \n"
                   "  in (e,) }\n"),
             (std::vector<int>{0, 14, 14, 3, 14, 14, 14, 15, 0, 0}));
    // A comment that names no place, and one whose file has a colon.
    QCOMPARE(named("jaxpr", "a = b # unknown\nc = d # C:/x.py:7:1 (f)\n"), (std::vector<int>{0, 7}));
  }

  void locations_of_stablehlo() {
    const char* text =
        "#loc1 = loc(\"x\")\n"
        "#loc2 = loc(\"/home/ada/train.py\":12:4 to :30)\n"
        "  %0 = stablehlo.add %a, %b : tensor<f32> loc(#loc9)\n"
        "  %1 = stablehlo.add %a, %b : tensor<f32> loc(#loc1)\n"
        "  %2 = stablehlo.add %a, %b : tensor<f32> loc(fused[#loc5, #loc2])\n"
        "  %3 = stablehlo.add %a, %b : tensor<f32> loc(unknown)\n"
        "#loc3 = loc(\"step\"(#loc2))\n"
        "#loc5 = loc(\"/home/ada/train.py\":3:1)\n"
        "#loc7 = loc(callsite(\"layer\"(\"/home/ada/net.py\":5:1) at #loc3))\n"
        "#loc9 = loc(\"jit(step)/add\"(#loc7))\n";
    const auto said = origins_of_lines("stablehlo", lines_of(text), "");
    QCOMPARE(said[2], (LineOrigin{{"/home/ada/net.py", 5}, {"/home/ada/train.py", 12}}));
    QVERIFY(said[3].empty() && said[5].empty());
    QCOMPARE(said[4], (LineOrigin{{"/home/ada/train.py", 3}}));
    // A location that names itself ends.
    origins_of_lines("stablehlo", lines_of("#loc1 = loc(\"a\"(#loc1))\n x loc(#loc1)\n"), "");
  }

  void metadata_of_hlo() {
    const char* frames =
        "FileNames\n1 \"/home/ada/train.py\"\n2 \"/home/ada/net.py\"\n\nFunctionNames\n1 \"step\"\n\n"
        "FileLocations\n1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=1 end_column=9}\n"
        "2 {file_name_id=2 function_name_id=1 line=5 end_line=6 column=1 end_column=9}\n\n"
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n"
        "  %add.1 = f32[8] add(%a, %b), metadata={op_name=\"jit(step)/add\" stack_frame_id=2}\n"
        "  %mul.1 = f32[8] multiply(%a, %b), metadata={op_name=\"mul\" source_file=\"/home/ada/a.py\" source_line=7}\n"
        "  %x = f32[8] parameter(0)\n";
    const std::vector<std::string_view> lines = lines_of(frames);
    const auto said = origins_of_lines("hlo", lines, "");
    QCOMPARE(said[lines.size() - 3], (LineOrigin{{"/home/ada/net.py", 5}, {"/home/ada/train.py", 12}}));
    QCOMPARE(said[lines.size() - 2], (LineOrigin{{"/home/ada/a.py", 7}}));
    QVERIFY(said.back().empty());
  }

  void comments_of_fx() {
    QCOMPARE(named("fx",
                   "class GraphModule(torch.nn.Module):\n"
                   "    def forward(self, L_x_: \"f32[4]\"):\n"
                   "        l_x_ = L_x_\n"
                   "\n"
                   "        # File: /home/ada/train.py:12 in step, code: y = f(x)  # File: no\n"
                   "        sin: \"f32[4]\" = l_x_.sin()\n"
                   "        cos: \"f32[4]\" = sin.cos()\n"
                   "\n"
                   "        # Backward of forward node: File: /home/ada/train.py:13 in step, code: return y\n"
                   "        neg: \"f32[4]\" = cos.neg()\n"
                   "        return (neg,)\n"),
             (std::vector<int>{0, 0, 0, 0, 12, 12, 12, 0, 13, 13, 0}));
    QCOMPARE(named("fx", "# File: /home/ada/train.py:12, code: y = x\ny = x\n"), (std::vector<int>{12, 12}));
  }

  void lines_of_bytecode() {
    QCOMPARE(named("bytecode",
                   "  9           0 RESUME                   0\n"
                   "              2 LOAD_FAST                1 (x)\n"
                   "\n"
                   " 11     >>    4 LOAD_CONST               1 (13)\n"
                   "        -->   6 RETURN_VALUE\n"),
             (std::vector<int>{9, 9, 0, 11, 11}));
    // Since Python 3.13 without offsets, and with names of places to jump to.
    QCOMPARE(named("bytecode",
                   "   9           RESUME                   0\n"
                   "  --   L1:     LOAD_FAST                1 (x)\n"
                   "  11   L2:     RETURN_VALUE\n"),
             (std::vector<int>{9, 9, 11}));
  }

  void nodes_that_inductor_names() {
    const OriginsOfNodes graph = origins_of_nodes(
        lines_of("# File: /home/ada/train.py:12 in step, code: y = f(x)\nsin: \"f32[4]\" = x.sin()\n\n"
                 "# File: /home/ada/train.py:13 in step, code: z = g(y)\nmm: \"f32[4]\" = torch.mm(sin, sin)\n"));
    QCOMPARE(graph.size(), size_t{2});
    const auto said = inductor_origins(lines_of("# AOT ID: ['0_forward']\n"
                                                "# Topologically Sorted Source Nodes: [sin, mm], Original ATen: []\n"
                                                "triton_sin_0 = async_compile.triton('triton_sin_0', '''\n"
                                                "# Source Nodes: [mm] is not looked at here\n"
                                                "''', device_str='cuda')\n"
                                                "def call(args):\n"
                                                "    triton_sin_0.run(x)\n"
                                                "    # Source Nodes: [mm], Original ATen: [aten.mm]\n"
                                                "    extern_kernels.mm(x, x, out=buf0)\n"
                                                "    del x\n"),
                                       {graph});
    const std::vector<size_t> counts{0, 2, 2, 2, 2, 0, 2, 1, 1, 0};
    for (size_t i = 0; i < counts.size(); ++i) QCOMPARE(said[i].size(), counts[i]);
    QCOMPARE(said[8].front(), (LineOrigin{{"/home/ada/train.py", 13}}));
  }

  void lines_of_a_library_are_those_of_its_callers() {
    Document d = document_with("jit", "",
                               trace_with({{"jaxpr", "jaxpr",
                                            "a = dot b # /usr/lib/python3/dist-packages/flax/linear.py:90:1 (d)\n"
                                            "c = neg a # /home/ada/train.py:3:1 (step)\n"
                                            "e = neg c # /tmp/other.py:3:1 (step)\n"}}));
    d.add(location_of(session::LocationId(1), session::FileId(1), 4));
    d.add(location_of(session::LocationId(2), session::FileId(2), 90, session::LocationId(1)));
    const StageText text = stage_text(d, TraceId(1), "jaxpr");
    QCOMPARE(text.lines.size(), size_t{3});
    QCOMPARE(text.origins[0], (std::vector<SourcePlace>{{session::FileId(1), 4}}));
    QCOMPARE(text.origins[1], (std::vector<SourcePlace>{{session::FileId(1), 3}}));
    QVERIFY(text.origins[2].empty());
    QCOMPARE(text.with_origin(), size_t{2});
    QCOMPARE(text.lines_from({session::FileId(1), 3}), std::vector<int>{2});
  }

  void what_was_not_recorded_of_jax() {
    QVERIFY(absent(document_with("jit", "", trace_with({{"jaxpr", "jaxpr", "{ }"}})), "jaxpr", "jaxpr").isEmpty());
    const auto said = trace_with({{"jaxpr", "absent", "The trace has 812 equations."}});
    QCOMPARE(absent(document_with("jit", "", said), "jaxpr", "jaxpr"), QStringLiteral("The trace has 812 equations."));
    auto inner = trace_with({{"jaxpr", "jaxpr", "{ }"}});
    QVERIFY(
        absent(document_with("jit", "", inner), "StableHLO", "StableHLO").contains(QStringLiteral("did not lower")));
    inner.add_phase("lower", 5);
    QVERIFY(absent(document_with("jit", "", inner), "HLO", "HLO").contains(QStringLiteral("did not compile")));
    QCOMPARE(
        absent(document_with("jit", "", inner), "HLO", "HLO",
               {"StableHLO, lowering and compilation not recorded: jax 9.9 has no jax._src.pjit._resolve_and_lower"}),
        QStringLiteral("The recorder says: StableHLO, lowering and compilation not recorded: jax 9.9 has no "
                       "jax._src.pjit._resolve_and_lower."));
    inner.error = "TypeError: no";
    QVERIFY(absent(document_with("jit", "", inner), "HLO", "HLO").contains(QStringLiteral("TypeError: no")));
  }

  void what_was_not_recorded_of_torch() {
    const auto dynamo = trace_with({{"Dynamo graph", "fx", "class GraphModule"}});
    QVERIFY(absent(document_with("dynamo", "backend='eager'", dynamo), "AOT", "Forward")
                .contains(QStringLiteral("AOTAutograd makes nothing")));
    QVERIFY(absent(document_with("dynamo", "backend='aot_eager', dynamic=False", dynamo), "Inductor", "Code")
                .contains(QStringLiteral("Inductor generates no code")));
    QVERIFY(absent(document_with("dynamo", "backend='mine'", dynamo), "Inductor", "Code")
                .contains(QStringLiteral("backend='mine' wrote no such text")));
    QVERIFY(absent(document_with("dynamo", "", trace_with({})), "Inductor", "Code")
                .contains(QStringLiteral("Without a graph of TorchDynamo")));
    QVERIFY(absent(document_with("dynamo", "", dynamo), "Bytecode", "As it runs")
                .contains(QStringLiteral("no bytecode of this trace")));
    // Without a gradient there is one graph, and a resume function has the bytecode that it was made with.
    const Document inference =
        document_with("resume", "after line 3", trace_with({{"Dynamo graph", "fx", ""}, {"AOT inference", "fx", ""}}));
    QCOMPARE(absent(inference, "AOT", "Inference"), QString());
    QCOMPARE(absent(inference, "AOT", "Backward"), QStringLiteral("there is no such part"));
    QVERIFY(!absent(inference, "Bytecode", "Resume function").isEmpty());
    QCOMPARE(absent(document_with("dynamo", "", dynamo), "Bytecode", "Resume function"),
             QStringLiteral("there is no such part"));
    QVERIFY(generated_stages(document_with("tf.function", "", dynamo), TraceId(1), {}).empty());
  }

  void damaged_texts_are_errors() {
    session::TraceRecord t = trace_with({{"jaxpr", "jaxpr", "{ }"}});
    t.artifacts[0].data.bytes.resize(3);
    const Document d = document_with("jit", "", t);
    QVERIFY_THROWS_EXCEPTION(std::exception, stage_text(d, TraceId(1), "jaxpr"));
  }

  void ranges_of_lines() {
    QCOMPARE(line_ranges({4, 9, 10, 11, 13}), QString::fromUtf8("4, 9–11, 13"));
    QCOMPARE(line_ranges({}), QString());
  }
};

QTEST_GUILESS_MAIN(GeneratedStagesTest)
#include "test_generated_stages.moc"
