module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<4x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.tanh %0 : tensor<4x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<4x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6:5 = stablehlo.while(%iterArg = %1, %iterArg_8 = %c, %iterArg_9 = %cst_0, %iterArg_10 = %4, %iterArg_11 = %5) : tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>, tensor<4xf32>
    cond {
      %c_12 = stablehlo.constant dense<4> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_8, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %18 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_8) : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %19:3 = func.call @closed_call(%iterArg_9, %18) : (tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<f32>)
      %20 = func.call @dynamic_update_index_in_dim(%iterArg_10, %19#1, %iterArg_8) : (tensor<4x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %21 = func.call @dynamic_update_index_in_dim_0(%iterArg_11, %19#2, %iterArg_8) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %22 = stablehlo.add %iterArg_8, %c_12 : tensor<i32>
      stablehlo.return %iterArg, %22, %19#0, %20, %21 : tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>, tensor<4xf32>
    }
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare GT, %6#2, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.convert %7 : (tensor<i1>) -> tensor<i32>
    %9:3 = "stablehlo.case"(%8) ({
      %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %18 = stablehlo.reduce(%6#3 init: %cst_8) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      %19 = stablehlo.reshape %18 : (tensor<f32>) -> tensor<1x1xf32>
      %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x16xf32>
      %21 = stablehlo.compare EQ, %6#3, %20, FLOAT : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
      %22 = stablehlo.convert %21 : (tensor<4x16xi1>) -> tensor<4x16xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.reduce(%22 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %18, %22, %23 : tensor<f32>, tensor<4x16xf32>, tensor<f32>
    }, {
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %18 = stablehlo.reduce(%6#3 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
      %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
      %19 = stablehlo.divide %18, %cst_9 : tensor<f32>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %20 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      stablehlo.return %19, %20, %cst_11 : tensor<f32>, tensor<4x16xf32>, tensor<f32>
    }) : (tensor<i32>) -> (tensor<f32>, tensor<4x16xf32>, tensor<f32>)
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = "stablehlo.case"(%8) ({
      %18 = stablehlo.divide %cst_4, %9#2 : tensor<f32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
      %20 = stablehlo.multiply %19, %9#1 : tensor<4x16xf32>
      stablehlo.return %20 : tensor<4x16xf32>
    }, {
      %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
      %18 = stablehlo.divide %cst_4, %cst_8 : tensor<f32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
      stablehlo.return %19 : tensor<4x16xf32>
    }) : (tensor<i32>) -> tensor<4x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %12:6 = stablehlo.while(%iterArg = %10, %iterArg_8 = %6#4, %iterArg_9 = %1, %iterArg_10 = %c_7, %iterArg_11 = %cst_5, %iterArg_12 = %11) : tensor<4x16xf32>, tensor<4xf32>, tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>
    cond {
      %c_13 = stablehlo.constant dense<4> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_10, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %c_13 = stablehlo.constant dense<4> : tensor<i32>
      %18 = stablehlo.subtract %c_13, %iterArg_10 : tensor<i32>
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.subtract %18, %c_14 : tensor<i32>
      %20 = func.call @dynamic_index_in_dim(%iterArg, %19) : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %21 = func.call @dynamic_index_in_dim_1(%iterArg_8, %19) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
      %22 = func.call @dynamic_index_in_dim(%iterArg_9, %19) : (tensor<4x16xf32>, tensor<i32>) -> tensor<16xf32>
      %23:2 = func.call @closed_call_2(%iterArg_11, %20, %21, %22) : (tensor<f32>, tensor<16xf32>, tensor<f32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
      %24 = func.call @dynamic_update_index_in_dim(%iterArg_12, %23#1, %19) : (tensor<4x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %25 = stablehlo.add %iterArg_10, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_8, %iterArg_9, %25, %23#0, %24 : tensor<4x16xf32>, tensor<4xf32>, tensor<4x16xf32>, tensor<i32>, tensor<f32>, tensor<4x16xf32>
    }
    %13 = stablehlo.multiply %12#5, %3 : tensor<4x16xf32>
    %14 = stablehlo.multiply %13, %1 : tensor<4x16xf32>
    %15 = stablehlo.add %13, %14 : tensor<4x16xf32>
    %16 = stablehlo.dot_general %15, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    return %9#0, %17 : tensor<f32>, tensor<8x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>, tensor<f32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.convert %arg0 : tensor<f32>
    %2 = stablehlo.add %1, %0 : tensor<f32>
    %3 = stablehlo.convert %arg0 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.multiply %arg1, %4 : tensor<16xf32>
    return %2, %5, %3 : tensor<f32>, tensor<16xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<4x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call_2(%arg0: tensor<f32>, %arg1: tensor<16xf32>, %arg2: tensor<f32>, %arg3: tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>) {
    %0 = stablehlo.multiply %arg3, %arg1 : tensor<16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.multiply %arg1, %2 : tensor<16xf32>
    %4 = stablehlo.add %1, %arg0 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.add %3, %5 : tensor<16xf32>
    return %4, %6 : tensor<f32>, tensor<16xf32>
  }
}
