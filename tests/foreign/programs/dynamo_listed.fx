graph():
    %l_self_modules_l_parameters_weight_ : torch.nn.parameter.Parameter [num_users=1] = placeholder[target=L_self_modules_l_parameters_weight_]
    %l_self_modules_l_parameters_bias_ : torch.nn.parameter.Parameter [num_users=1] = placeholder[target=L_self_modules_l_parameters_bias_]
    %s77 : torch.SymInt [num_users=2] = placeholder[target=s77]
    %l_x_ : torch.Tensor [num_users=2] = placeholder[target=L_x_]
    %l_self_modules_b_momentum : torch.Tensor [num_users=1] = placeholder[target=L_self_modules_b_momentum]
    %l_self_modules_b_buffers_running_mean_ : torch.Tensor [num_users=1] = placeholder[target=L_self_modules_b_buffers_running_mean_]
    %l_self_modules_b_buffers_running_var_ : torch.Tensor [num_users=1] = placeholder[target=L_self_modules_b_buffers_running_var_]
    %l_self_modules_b_parameters_weight_ : torch.nn.parameter.Parameter [num_users=1] = placeholder[target=L_self_modules_b_parameters_weight_]
    %l_self_modules_b_parameters_bias_ : torch.nn.parameter.Parameter [num_users=1] = placeholder[target=L_self_modules_b_parameters_bias_]
    %l_self_modules_b_eps : torch.Tensor [num_users=1] = placeholder[target=L_self_modules_b_eps]
    %linear : [num_users=1] = call_function[target=torch._C._nn.linear](args = (%l_x_, %l_self_modules_l_parameters_weight_, %l_self_modules_l_parameters_bias_), kwargs = {})
    %item : [num_users=1] = call_method[target=item](args = (%l_self_modules_b_momentum,), kwargs = {})
    %item_1 : [num_users=1] = call_method[target=item](args = (%l_self_modules_b_eps,), kwargs = {})
    %batch_norm : [num_users=1] = call_function[target=torch.nn.functional.batch_norm](args = (%linear, %l_self_modules_b_buffers_running_mean_, %l_self_modules_b_buffers_running_var_, %l_self_modules_b_parameters_weight_, %l_self_modules_b_parameters_bias_, False, %item, %item_1), kwargs = {})
    %y : [num_users=1] = call_function[target=torch.relu](args = (%batch_norm,), kwargs = {})
    %split : [num_users=2] = call_method[target=split](args = (%y, 8, 1), kwargs = {})
    %a : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = {})
    %b : [num_users=2] = call_function[target=operator.getitem](args = (%split, 1), kwargs = {})
    %a_1 : [num_users=2] = call_method[target=clone](args = (%a,), kwargs = {})
    %setitem : [num_users=0] = call_function[target=operator.setitem](args = (%a_1, 0, 2), kwargs = {})
    %a_2 : [num_users=1] = call_function[target=operator.iadd](args = (%a_1, 1), kwargs = {})
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%l_x_,), kwargs = {})
    %gt : [num_users=1] = call_function[target=operator.gt](args = (%sum_1, 0), kwargs = {})
    %cond_true_0 : [num_users=1] = get_attr[target=cond_true_0]
    %cond_false_0 : [num_users=1] = get_attr[target=cond_false_0]
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (%gt, %cond_true_0, %cond_false_0, (%b, %s77)), kwargs = {})
    %z : [num_users=1] = call_function[target=operator.getitem](args = (%cond, 0), kwargs = {})
    %numpy_t : [num_users=1] = call_function[target=torch.ops.aten.numpy_T](args = (%b,), kwargs = {})
    %matmul : [num_users=1] = call_function[target=operator.matmul](args = (%a_2, %numpy_t), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%s77, 2), kwargs = {})
    return (matmul, z, mul)
