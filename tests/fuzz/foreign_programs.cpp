// Small texts of programs, a log of compilations, and small traces that no text can hold.
#include "tests/fuzz/foreign_input.h"

#include "engine/wire/protobuf.h"

#include <sqlite3.h>

namespace footlight::fuzz {

std::vector<std::string> small_programs() {
  return {R"text(HloModule jit_f, entry_computation_layout={(f32[2,3]{1,0})->f32[]}

FileNames
1 "train.py"

FunctionNames
1 "loss"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

region_0.1 {
  a.1 = f32[] parameter(0)
  b.1 = f32[] parameter(1)
  ROOT add.1 = f32[] add(a.1, b.1)
}

ENTRY %main.2 (x.1: f32[2,3]) -> f32[] {
  %x.1 = f32[2,3]{1,0} parameter(0), metadata={op_name="x"}
  %constant.1 = f32[] constant(0)
  %tanh.1 = f32[2,3]{1,0} tanh(f32[2,3]{1,0} %x.1), metadata={op_name="jit(f)/tanh" stack_frame_id=1}
  %t = (f32[], /*index=1*/f32[2,3]{1,0}) tuple(%constant.1, /*index=1*/%tanh.1)
  %g = f32[2,3]{1,0} get-tuple-element(%t), index=1
  ROOT %reduce.1 = f32[] reduce(%g, %constant.1), dimensions={0,1}, to_apply=region_0.1
}
)text",
          R"text(#loc1 = loc("train.py":3:4)
#loc2 = loc("loss"(#loc1))
module @jit_f {
  func.func public @main(%arg0: tensor<2x3xf32> {a = "b"}) -> (tensor<f32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %cst, %j = %arg0) : tensor<f32>, tensor<2x3xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %cst : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @inner(%j) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(callsite("f"("a.py":1:2) at #loc2))
      stablehlo.return %i, %1 : tensor<f32>, tensor<2x3xf32>
    } loc(#loc3)
    %2 = "stablehlo.reduce"(%0#1, %cst) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32> loc(fused<"x">[#loc2, "y"])
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32> loc(#loc3)
    return %2 : tensor<f32> loc(#loc)
  }
  func.func private @inner(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32> loc(#loc3)
    return %0 : tensor<2x3xf32>
  }
}
#loc = loc(unknown)
#loc3 = loc("jit(f)/tanh"(#loc2))
)text",
          R"text(class GraphModule(torch.nn.Module):
    def forward(
        self,
        L_x_: "f32[s0, 3][3, 1]cpu",  # PlainAOTInput(idx=0)
        s0: "Sym(s0)",
    ):
        l_x_ = L_x_

        # File: train.py:3 in loss, code: h = torch.tanh(x)
        h: "f32[s0, 3]" = torch.ops.aten.tanh.default(l_x_);  l_x_ = None
        h[0] = 1;  setitem = h;  setitem = None
        h += 1;  a: "f32[s0, 3]" = h;  h = None
        true_0 = self.true_0
        w = getattr(self.layers, "0").weight
        cond = torch.ops.higher_order.cond(a > 0, true_0, true_0, (a, [w]), dim = 'x');  true_0 = None
        return (cond[0].view(-1), -a, not s0)

    class true_0(torch.nn.Module):
        def forward(self, a):
            return (a @ a,)
)text",
          R"text(graph():
    %x : torch.Tensor [num_users=2] = placeholder[target=x]
    %w : [num_users=1] = get_attr[target=w]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %w), kwargs = {alpha: 2})
    return (add, x))text",
          "V1130 18:35:29.036000 32758 torch/_dynamo/convert_frame.py:309] {\"dynamo_start\": "
          "{\"stack\": [{\"line\": 9, "
          "\"name\": \"main\", \"filename\": 0}, {\"line\": 2, \"name\": \"step\", \"filename\": 0}]}, \"rank\": 1, "
          "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n"
          "V1130 18:35:29.097000 32758 torch/_logging/structured.py:28] {\"str\": [\"train.py\", 0]}\n"
          "V1130 18:35:29.097000 32758 torch/_dynamo/utils.py:2473] {\"chromium_event\": {}, \"frame_id\": 0, "
          "\"frame_compile_id\": 0, \"attempt\": 0}\n"
          "\t{\"name\": \"bytecode_tracing\", \"ts\": 1796063729214577.2, \"ph\": \"B\", \"tid\": 0, \"pid\": 0}\n"
          "V1130 18:35:29.476000 32758 torch/_dynamo/output_graph.py:2993] "
          "{\"dynamo_output_graph\": {}, \"frame_id\": 0, "
          "\"frame_compile_id\": 0}\n"
          "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, x: \"f32[4]\"):\n\t        y = x + 1\n"
          "\t        return (y,)\n"
          "V1130 18:36:06.800000 32758 torch/_dynamo/guards.py:5383] {\"dynamo_cpp_guards_str\": {}, \"frame_id\": 0, "
          "\"frame_compile_id\": 0}\n"
          "\t| +- EQUALS_MATCH: L['self'].rate['a'] == 0  # train.py:5 in step\n"
          "\t| +- TENSOR_MATCH: check_tensor(L['x'], Tensor, torch.float32, size=[4, None])\n"
          "V1130 18:36:23.703000 32758 torch/_dynamo/guards.py:6378] {\"artifact\": {\"name\": \"recompile_reasons\"}, "
          "\"frame_id\": 0, \"frame_compile_id\": 1}\n"
          "\t[\"0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5\"]\n"
          "V1130 18:36:23.803000 32758 torch/_dynamo/utils.py:2132] {\"compilation_metrics\": {\"co_name\": \"step\", "
          "\"start_time\": 1796063729.09, \"fail_type\": \"Unsupported\", \"fail_reason\": \"no\"}, \"frame_id\": 0, "
          "\"frame_compile_id\": 1}\n"};
}

std::string small_perfetto() {
  using wire::ProtobufWriter;
  ProtobufWriter trace;
  const auto packet = [&](uint32_t field, const ProtobufWriter& message, uint64_t time) {
    ProtobufWriter made;
    if (time) made.number(8, time);
    made.number(10, 1);
    made.message(field, message);
    trace.message(1, made);
  };
  const auto clock = [](uint64_t id, uint64_t time, uint64_t unit) {
    ProtobufWriter made;
    made.number(1, id);
    made.number(2, time);
    if (unit) made.number(3, 1), made.number(4, unit);
    return made;
  };
  ProtobufWriter snapshot, thread, track, text, interned, counter, queue;
  snapshot.message(1, clock(6, 1000, 0));
  snapshot.message(1, clock(1, 1'717'000'000'000'000'000, 0));
  snapshot.message(1, clock(64, 0, 1000));
  packet(6, snapshot, 0);
  thread.number(1, 7);
  thread.number(2, 8);
  track.number(1, 11);
  track.bytes(2, "main");
  track.message(4, thread);
  packet(60, track, 0);
  queue.number(1, 12);
  queue.number(5, 11);
  queue.message(8, counter);
  packet(60, queue, 0);
  text.number(1, 1);
  text.bytes(2, "step");
  interned.message(2, text);
  packet(12, interned, 0);
  for (const uint64_t type : {1, 1, 3, 2, 2, 4, 1}) {
    ProtobufWriter event, note;
    event.number(9, type);
    event.number(11, type == 4 ? 12 : 11);
    event.number(10, 1);
    event.bytes(22, "train");
    note.bytes(10, "batch");
    note.number(4, 3);
    event.message(4, note);
    event.fixed64(47, 5);
    if (type == 4) event.real(44, 2.5);
    packet(11, event, 2000 + type);
  }
  return trace.take();
}

std::string small_nsight() {
  sqlite3* db = nullptr;
  std::string bytes;
  if (sqlite3_open(":memory:", &db) == SQLITE_OK) {
    sqlite3_exec(db,
                 "PRAGMA page_size=512; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
                 "correlationId INT, globalPid INT, demangledName INT);"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, "
                 "nameId INT);"
                 "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);"
                 "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm');"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 1291845709, 5, 1);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 0, 7, 5, 1291845632, 2);"
                 "INSERT INTO NVTX_EVENTS VALUES (5, 50, 59, 'aten::mm, seq = 3', 1291845709);",
                 nullptr, nullptr, nullptr);
    sqlite3_int64 size = 0;
    if (unsigned char* const data = sqlite3_serialize(db, "main", &size, 0)) {
      bytes.assign(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
      sqlite3_free(data);
    }
  }
  sqlite3_close(db);
  return bytes;
}

}  // namespace footlight::fuzz
