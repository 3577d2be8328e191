ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, p_l_weight: "f32[16, 8]", p_l_bias: "f32[16]", p_b_weight: "f32[16]", p_b_bias: "f32[16]", b_b_running_mean: "f32[16]", b_b_running_var: "f32[16]", b_b_num_batches_tracked: "i64[]", x: "f32[s77, 8]"):
            # No stacktrace found for following nodes
            sym_size_int_1: "Sym(s77)" = torch.ops.aten.sym_size.int(x, 0)

            # File: /usr/lib/python3/site-packages/torch/nn/modules/linear.py:134 in forward, code: return F.linear(input, self.weight, self.bias)
            linear: "f32[s77, 16]" = torch.ops.aten.linear.default(x, p_l_weight, p_l_bias);  p_l_weight = p_l_bias = None

            # File: /usr/lib/python3/site-packages/torch/nn/modules/batchnorm.py:210 in forward, code: return F.batch_norm(
            batch_norm: "f32[s77, 16]" = torch.ops.aten.batch_norm.default(linear, p_b_weight, p_b_bias, b_b_running_mean, b_b_running_var, False, 0.1, 1e-05, False);  linear = p_b_weight = p_b_bias = b_b_running_mean = b_b_running_var = None

            # File: /home/user/model.py:6 in forward, code: y=torch.relu(self.b(self.l(x)))
            relu: "f32[s77, 16]" = torch.ops.aten.relu.default(batch_norm);  batch_norm = None

            # File: /home/user/model.py:7 in forward, code: a,b=y.split(8,1)
            split = torch.ops.aten.split.Tensor(relu, 8, 1);  relu = None
            getitem: "f32[s77, 8]" = split[0]
            getitem_1: "f32[s77, 8]" = split[1];  split = None

            # File: /home/user/model.py:8 in forward, code: a=a.clone(); a[0]=2; a+=1
            clone: "f32[s77, 8]" = torch.ops.aten.clone.default(getitem);  getitem = None
            select: "f32[8]" = torch.ops.aten.select.int(clone, 0, 0)
            fill_: "f32[8]" = torch.ops.aten.fill_.Scalar(select, 2);  select = fill_ = None
            add_: "f32[s77, 8]" = torch.ops.aten.add_.Tensor(clone, 1);  clone = None

            # File: /home/user/model.py:9 in forward, code: z=torch.cond(x.sum()>0, lambda t: t+1, lambda t: t*2, (b,))
            sum_1: "f32[]" = torch.ops.aten.sum.default(x);  x = None
            gt_2: "b8[]" = torch.ops.aten.gt.Scalar(sum_1, 0);  sum_1 = None

            # File: <eval_with_key>.5:9 in forward, code: cond = torch.ops.higher_order.cond(l_args_0_, cond_true_0, cond_false_0, (l_args_3_0_,));  l_args_0_ = cond_true_0 = cond_false_0 = l_args_3_0_ = None
            true_graph_0 = self.true_graph_0
            false_graph_0 = self.false_graph_0
            cond = torch.ops.higher_order.cond(gt_2, true_graph_0, false_graph_0, (getitem_1,));  gt_2 = true_graph_0 = false_graph_0 = None
            getitem_2: "f32[s77, 8]" = cond[0];  cond = None

            # File: /home/user/model.py:10 in forward, code: return {'a':a@b.T, 'z':z, 's': x.shape[0]*2}
            numpy_t: "f32[8, s77]" = torch.ops.aten.numpy_T.default(getitem_1);  getitem_1 = None
            matmul: "f32[s77, s77]" = torch.ops.aten.matmul.default(add_, numpy_t);  add_ = numpy_t = None
            mul: "Sym(2*s77)" = sym_size_int_1 * 2;  sym_size_int_1 = None
            return (matmul, getitem_2, mul)

        class true_graph_0(torch.nn.Module):
            def forward(self, getitem_1: "f32[s77, 8]"):
                # File: <eval_with_key>.6:6 in forward, code: add = l_args_3_0__1 + 1;  l_args_3_0__1 = None
                add: "f32[s77, 8]" = torch.ops.aten.add.Tensor(getitem_1, 1);  getitem_1 = None
                return (add,)

        class false_graph_0(torch.nn.Module):
            def forward(self, getitem_1: "f32[s77, 8]"):
                # File: <eval_with_key>.7:6 in forward, code: mul = l_args_3_0__1 * 2;  l_args_3_0__1 = None
                mul: "f32[s77, 8]" = torch.ops.aten.mul.Tensor(getitem_1, 2);  getitem_1 = None
                return (mul,)

Graph signature:
    # inputs
    p_l_weight: PARAMETER target='l.weight'
    p_l_bias: PARAMETER target='l.bias'
    p_b_weight: PARAMETER target='b.weight'
    p_b_bias: PARAMETER target='b.bias'
    b_b_running_mean: BUFFER target='b.running_mean' persistent=True
    b_b_running_var: BUFFER target='b.running_var' persistent=True
    b_b_num_batches_tracked: BUFFER target='b.num_batches_tracked' persistent=True
    x: USER_INPUT

    # outputs
    matmul: USER_OUTPUT
    getitem_2: USER_OUTPUT
    mul: USER_OUTPUT

Range constraints: {s77: VR[0, int_oo]}
