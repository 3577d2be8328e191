"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x16xf32>, tensor<4x8xf32>) -> (tensor<f32>, tensor<8x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<8x16xf32>, %arg21: tensor<4x8xf32>):
    %27 = "stablehlo.dot_general"(%arg21, %arg20) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %28 = "stablehlo.tanh"(%27) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %29 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
    %31 = "stablehlo.subtract"(%30, %28) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %32 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
    %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %37 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %38:5 = "stablehlo.while"(%28, %37, %32, %34, %36) ({
    ^bb0(%arg45: tensor<4x16xf32>, %arg46: tensor<i32>, %arg47: tensor<f32>, %arg48: tensor<4x16xf32>, %arg49: tensor<4xf32>):
      %98 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %99 = "stablehlo.compare"(%arg46, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%99) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg40: tensor<4x16xf32>, %arg41: tensor<i32>, %arg42: tensor<f32>, %arg43: tensor<4x16xf32>, %arg44: tensor<4xf32>):
      %92 = "func.call"(%arg40, %arg41) <{callee = @dynamic_index_in_dim}> : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %93:3 = "func.call"(%arg42, %92) <{callee = @closed_call}> : (tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<f32>)
      %94 = "func.call"(%arg43, %93#1, %arg41) <{callee = @dynamic_update_index_in_dim}> : (tensor<4x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %95 = "func.call"(%arg44, %93#2, %arg41) <{callee = @dynamic_update_index_in_dim_0}> : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %96 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %97 = "stablehlo.add"(%arg41, %96) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg40, %97, %93#0, %94, %95) : (tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>, tensor<4xf32>) -> ()
    }) : (tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>, tensor<4xf32>) -> (tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>, tensor<4xf32>)
    %39 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.compare"(%38#2, %39) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %41 = "stablehlo.convert"(%40) : (tensor<i1>) -> tensor<i32>
    %42:3 = "stablehlo.case"(%41) ({
      %82 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
      %83 = "stablehlo.reduce"(%38#3, %82) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
        %91 = "stablehlo.maximum"(%arg38, %arg39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%91) : (tensor<f32>) -> ()
      }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      %84 = "stablehlo.reshape"(%83) : (tensor<f32>) -> tensor<1x1xf32>
      %85 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<4x16xf32>
      %86 = "stablehlo.compare"(%38#3, %85) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
      %87 = "stablehlo.convert"(%86) : (tensor<4x16xi1>) -> tensor<4x16xf32>
      %88 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %89 = "stablehlo.reduce"(%87, %88) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg36: tensor<f32>, %arg37: tensor<f32>):
        %90 = "stablehlo.add"(%arg36, %arg37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%90) : (tensor<f32>) -> ()
      }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%83, %87, %89) : (tensor<f32>, tensor<4x16xf32>, tensor<f32>) -> ()
    }, {
      %74 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %75 = "stablehlo.reduce"(%38#3, %74) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
        %81 = "stablehlo.add"(%arg34, %arg35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%81) : (tensor<f32>) -> ()
      }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      %76 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
      %77 = "stablehlo.divide"(%75, %76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %78 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
      %80 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      "stablehlo.return"(%77, %79, %80) : (tensor<f32>, tensor<4x16xf32>, tensor<f32>) -> ()
    }) : (tensor<i32>) -> (tensor<f32>, tensor<4x16xf32>, tensor<f32>)
    %43 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.case"(%41) ({
      %71 = "stablehlo.divide"(%43, %42#2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
      %73 = "stablehlo.multiply"(%72, %42#1) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
      "stablehlo.return"(%73) : (tensor<4x16xf32>) -> ()
    }, {
      %68 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
      %69 = "stablehlo.divide"(%43, %68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
      "stablehlo.return"(%70) : (tensor<4x16xf32>) -> ()
    }) : (tensor<i32>) -> tensor<4x16xf32>
    %45 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
    %48 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %49:6 = "stablehlo.while"(%44, %38#4, %28, %48, %45, %47) ({
    ^bb0(%arg28: tensor<4x16xf32>, %arg29: tensor<4xf32>, %arg30: tensor<4x16xf32>, %arg31: tensor<i32>, %arg32: tensor<f32>, %arg33: tensor<4x16xf32>):
      %66 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %67 = "stablehlo.compare"(%arg31, %66) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%67) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg22: tensor<4x16xf32>, %arg23: tensor<4xf32>, %arg24: tensor<4x16xf32>, %arg25: tensor<i32>, %arg26: tensor<f32>, %arg27: tensor<4x16xf32>):
      %55 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %56 = "stablehlo.subtract"(%55, %arg25) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %57 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %58 = "stablehlo.subtract"(%56, %57) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %59 = "func.call"(%arg22, %58) <{callee = @dynamic_index_in_dim}> : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %60 = "func.call"(%arg23, %58) <{callee = @dynamic_index_in_dim_1}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
      %61 = "func.call"(%arg24, %58) <{callee = @dynamic_index_in_dim}> : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %62:2 = "func.call"(%arg26, %59, %60, %61) <{callee = @closed_call_2}> : (tensor<f32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
      %63 = "func.call"(%arg27, %62#1, %58) <{callee = @dynamic_update_index_in_dim}> : (tensor<4x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %64 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %65 = "stablehlo.add"(%arg25, %64) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg22, %arg23, %arg24, %65, %62#0, %63) : (tensor<4x16xf32>, tensor<4xf32>, tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>) -> ()
    }) : (tensor<4x16xf32>, tensor<4xf32>, tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4xf32>, tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>)
    %50 = "stablehlo.multiply"(%49#5, %31) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %51 = "stablehlo.multiply"(%50, %28) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %52 = "stablehlo.add"(%50, %51) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %53 = "stablehlo.dot_general"(%52, %arg21) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
    %54 = "stablehlo.transpose"(%53) <{permutation = array<i64: 1, 0>}> : (tensor<16x8xf32>) -> tensor<8x16xf32>
    "func.return"(%42#0, %54) : (tensor<f32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<4x16xf32>, %arg19: tensor<i32>):
    %24 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.dynamic_slice"(%arg18, %arg19, %24) <{slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %26 = "stablehlo.reshape"(%25) : (tensor<1x16xf32>) -> tensor<16xf32>
    "func.return"(%26) : (tensor<16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<f32>), res_attrs = [{}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<f32>, %arg15: tensor<16xf32>):
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.reduce"(%arg15, %16) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %23 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%23) : (tensor<f32>) -> ()
    }) : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.convert"(%arg14) : (tensor<f32>) -> tensor<f32>
    %19 = "stablehlo.add"(%18, %17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %20 = "stablehlo.convert"(%arg14) : (tensor<f32>) -> tensor<f32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %22 = "stablehlo.multiply"(%arg15, %21) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    "func.return"(%19, %22, %20) : (tensor<f32>, tensor<16xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<4x16xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<4x16xf32>, %arg12: tensor<16xf32>, %arg13: tensor<i32>):
    %13 = "stablehlo.broadcast_in_dim"(%arg12) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.dynamic_update_slice"(%arg11, %13, %arg13, %14) : (tensor<4x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
    "func.return"(%15) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<4xf32>, %arg9: tensor<f32>, %arg10: tensor<i32>):
    %11 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %12 = "stablehlo.dynamic_update_slice"(%arg8, %11, %arg10) : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    "func.return"(%12) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4xf32>, tensor<i32>) -> tensor<f32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<4xf32>, %arg7: tensor<i32>):
    %9 = "stablehlo.dynamic_slice"(%arg6, %arg7) <{slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %10 = "stablehlo.reshape"(%9) : (tensor<1xf32>) -> tensor<f32>
    "func.return"(%10) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>), res_attrs = [{}, {}], sym_name = "closed_call_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<16xf32>, %arg2: tensor<f32>, %arg3: tensor<16xf32>):
    %0 = "stablehlo.multiply"(%arg3, %arg1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%8) : (tensor<f32>) -> ()
    }) : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %4 = "stablehlo.multiply"(%arg1, %3) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %5 = "stablehlo.add"(%2, %arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16xf32>
    %7 = "stablehlo.add"(%4, %6) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    "func.return"(%5, %7) : (tensor<f32>, tensor<16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
