class GraphModule(torch.nn.Module):
    def forward(self, L_self_modules_l_parameters_weight_: "f32[16, 8]", L_self_modules_l_parameters_bias_: "f32[16]", s77: "Sym(s77)", L_x_: "f32[s77, 8]", L_self_modules_b_momentum: "f64[]", L_self_modules_b_buffers_running_mean_: "f32[16]", L_self_modules_b_buffers_running_var_: "f32[16]", L_self_modules_b_parameters_weight_: "f32[16]", L_self_modules_b_parameters_bias_: "f32[16]", L_self_modules_b_eps: "f64[]"):
        l_self_modules_l_parameters_weight_ = L_self_modules_l_parameters_weight_
        l_self_modules_l_parameters_bias_ = L_self_modules_l_parameters_bias_
        l_x_ = L_x_
        l_self_modules_b_momentum = L_self_modules_b_momentum
        l_self_modules_b_buffers_running_mean_ = L_self_modules_b_buffers_running_mean_
        l_self_modules_b_buffers_running_var_ = L_self_modules_b_buffers_running_var_
        l_self_modules_b_parameters_weight_ = L_self_modules_b_parameters_weight_
        l_self_modules_b_parameters_bias_ = L_self_modules_b_parameters_bias_
        l_self_modules_b_eps = L_self_modules_b_eps

        # File: /home/user/model.py:6 in forward, code: y=torch.relu(self.b(self.l(x)))
        linear: "f32[s77, 16]" = torch._C._nn.linear(l_x_, l_self_modules_l_parameters_weight_, l_self_modules_l_parameters_bias_);  l_self_modules_l_parameters_weight_ = l_self_modules_l_parameters_bias_ = None
        item: "Sym(0.100000000000000)" = l_self_modules_b_momentum.item();  l_self_modules_b_momentum = None
        item_1: "Sym(0.0000100000000000000)" = l_self_modules_b_eps.item();  l_self_modules_b_eps = None
        batch_norm: "f32[s77, 16]" = torch.nn.functional.batch_norm(linear, l_self_modules_b_buffers_running_mean_, l_self_modules_b_buffers_running_var_, l_self_modules_b_parameters_weight_, l_self_modules_b_parameters_bias_, False, item, item_1);  linear = l_self_modules_b_buffers_running_mean_ = l_self_modules_b_buffers_running_var_ = l_self_modules_b_parameters_weight_ = l_self_modules_b_parameters_bias_ = item = item_1 = None
        y: "f32[s77, 16]" = torch.relu(batch_norm);  batch_norm = None

        # File: /home/user/model.py:7 in forward, code: a,b=y.split(8,1)
        split = y.split(8, 1);  y = None
        a: "f32[s77, 8]" = split[0]
        b: "f32[s77, 8]" = split[1];  split = None

        # File: /home/user/model.py:8 in forward, code: a=a.clone(); a[0]=2; a+=1
        a_1: "f32[s77, 8]" = a.clone();  a = None
        a_1[0] = 2;  setitem = a_1;  setitem = None
        a_1 += 1;  a_2: "f32[s77, 8]" = a_1;  a_1 = None

        # File: /home/user/model.py:9 in forward, code: z=torch.cond(x.sum()>0, lambda t: t+1, lambda t: t*2, (b,))
        sum_1: "f32[]" = l_x_.sum();  l_x_ = None
        gt: "b8[]" = sum_1 > 0;  sum_1 = None
        cond_true_0 = self.cond_true_0
        cond_false_0 = self.cond_false_0
        cond = torch.ops.higher_order.cond(gt, cond_true_0, cond_false_0, (b, s77));  gt = cond_true_0 = cond_false_0 = None
        z: "f32[s77, 8]" = cond[0];  cond = None

        # File: /home/user/model.py:10 in forward, code: return {'a':a@b.T, 'z':z, 's': x.shape[0]*2}
        numpy_t: "f32[8, s77]" = torch.ops.aten.numpy_T(b);  b = None
        matmul: "f32[s77, s77]" = a_2 @ numpy_t;  a_2 = numpy_t = None
        mul: "Sym(2*s77)" = s77 * 2;  s77 = None
        return (matmul, z, mul)

    class cond_true_0(torch.nn.Module):
        def forward(self, b: "f32[s77, 8]", s77: "Sym(s77)"):
            b_1 = b
            s77_1 = s77

            # File: /home/user/model.py:9 in <lambda>, code: z=torch.cond(x.sum()>0, lambda t: t+1, lambda t: t*2, (b,))
            add: "f32[s77, 8]" = b_1 + 1;  b_1 = None
            return (add,)

    class cond_false_0(torch.nn.Module):
        def forward(self, b: "f32[s77, 8]", s77: "Sym(s77)"):
            b_1 = b
            s77_1 = s77

            # File: /home/user/model.py:9 in <lambda>, code: z=torch.cond(x.sum()>0, lambda t: t+1, lambda t: t*2, (b,))
            mul: "f32[s77, 8]" = b_1 * 2;  b_1 = None
            return (mul,)
